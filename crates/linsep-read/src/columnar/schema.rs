//! The columns of the files: what they hold, with lists spread to one column per item.

use arrow_schema::{DataType, Schema, TimeUnit};

use linsep_data::error::{Column, Error};
use linsep_data::memory;

/// What is known of a column, its name included, about.
const BYTES_PER_COLUMN: u64 = 256;

/// What a column holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    /// Numbers, booleans and points in time among them.
    Number,
    /// Text.
    Text,
    /// What cannot be read: its type as people write it.
    Other(String),
}

/// The columns, as they stand in the files and as they are seen.
pub(super) struct SchemaColumns {
    pub(super) roots: Vec<Root>,
    pub(super) names: Vec<String>,
    pub(super) kinds: Vec<ColumnKind>,
    /// Where each of the names stands.
    pub(super) slots: Vec<Slot>,
}

/// A column as it stands in the files.
pub(super) struct Root {
    pub(super) name: String,
    /// Its type as people write it.
    pub(super) type_name: String,
    /// The length of its lists, if it holds lists of numbers.
    pub(super) list: Option<usize>,
    /// Whether f32 holds its numbers exactly.
    is_f32: bool,
}

/// A root, or an item of its lists.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    pub(super) root: usize,
    pub(super) item: usize,
}

impl SchemaColumns {
    /// Returns the columns of a schema. `list_length` is asked for lists whose type does not tell,
    /// with the number of their root; without an answer they are not spread.
    ///
    /// Errors if there is no memory for as many columns as lists claim to have items.
    pub(super) fn new(
        schema: &Schema,
        mut list_length: impl FnMut(usize) -> Result<Option<usize>, Error>,
    ) -> Result<Self, Error> {
        let mut columns =
            SchemaColumns { roots: vec![], names: vec![], kinds: vec![], slots: vec![] };
        for (root, field) in schema.fields().iter().enumerate() {
            let data_type = field.data_type();
            let (name, kind) = (field.name(), kind_of(data_type));
            let list = match data_type {
                DataType::FixedSizeList(item, length) if is_number(item.data_type()) => {
                    usize::try_from(*length).ok()
                }
                DataType::List(item) | DataType::LargeList(item) if is_number(item.data_type()) => {
                    list_length(root)?
                }
                _ => None,
            };
            let bytes = (list.unwrap_or(1) as u64).saturating_mul(BYTES_PER_COLUMN);
            memory::require(bytes).map_err(|e| e.in_column(Column::Name(name.clone())))?;
            columns.roots.push(Root {
                name: name.clone(),
                type_name: type_name(data_type),
                list,
                is_f32: is_f32(data_type),
            });
            match list {
                Some(length) => (0..length).for_each(|item| {
                    columns.push(
                        format!("{name}[{item}]"),
                        ColumnKind::Number,
                        Slot { root, item },
                    );
                }),
                None => columns.push(name.clone(), kind, Slot { root, item: 0 }),
            }
        }
        Ok(columns)
    }

    fn push(&mut self, name: String, kind: ColumnKind, slot: Slot) {
        self.names.push(name);
        self.kinds.push(kind);
        self.slots.push(slot);
    }

    /// Returns whether f32 holds all numbers of these columns exactly, whatever they are.
    pub(super) fn is_f32(&self, wanted: &[usize]) -> bool {
        wanted.iter().all(|&column| self.roots[self.slots[column].root].is_f32)
    }

    /// Returns the number of the first root that differs from those of `schema`, counted from 0, with
    /// what it is here and there.
    pub(super) fn difference(&self, schema: &Schema) -> Option<(usize, String, String)> {
        let describe = |name: &str, type_name: &str| format!("\"{name}\" ({type_name})");
        let here = |k: usize| self.roots.get(k).map(|root| describe(&root.name, &root.type_name));
        let there = |k: usize| {
            let field = schema.fields().get(k)?;
            Some(describe(field.name(), &type_name(field.data_type())))
        };
        let nothing = || "nothing".to_string();
        (0..self.roots.len().max(schema.fields().len()))
            .map(|k| (k, here(k).unwrap_or_else(nothing), there(k).unwrap_or_else(nothing)))
            .find(|(_, here, there)| here != there)
    }
}

fn kind_of(data_type: &DataType) -> ColumnKind {
    if is_number(data_type) {
        ColumnKind::Number
    } else if is_text(data_type) {
        ColumnKind::Text
    } else {
        ColumnKind::Other(type_name(data_type))
    }
}

fn is_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, value) => is_text(value),
        _ => false,
    }
}

fn is_number(data_type: &DataType) -> bool {
    match data_type {
        DataType::Boolean | DataType::Date32 | DataType::Date64 => true,
        // Nanoseconds since 1970 are beyond 2^53 after 104 days.
        DataType::Timestamp(unit, _) => *unit != TimeUnit::Nanosecond,
        DataType::Dictionary(_, value) => is_number(value),
        other => other.is_numeric(),
    }
}

fn is_f32(data_type: &DataType) -> bool {
    use DataType::{Boolean, Float16, Float32, Int8, Int16, UInt8, UInt16};
    match data_type {
        Boolean | Float16 | Float32 | Int8 | Int16 | UInt8 | UInt16 => true,
        DataType::Dictionary(_, value) => is_f32(value),
        DataType::FixedSizeList(item, _) | DataType::List(item) | DataType::LargeList(item) => {
            is_f32(item.data_type())
        }
        _ => false,
    }
}

/// Returns the type as people write it. Types that are read alike have one name.
fn type_name(data_type: &DataType) -> String {
    let unit = |unit: &TimeUnit| match unit {
        TimeUnit::Second => "s",
        TimeUnit::Millisecond => "ms",
        TimeUnit::Microsecond => "us",
        TimeUnit::Nanosecond => "ns",
    };
    match data_type {
        DataType::Boolean => "bool".into(),
        DataType::Float32 => "float".into(),
        DataType::Float64 => "double".into(),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "string".into(),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => "binary".into(),
        DataType::Timestamp(u, _) => format!("timestamp[{}]", unit(u)),
        DataType::Time32(u) | DataType::Time64(u) => format!("time[{}]", unit(u)),
        DataType::Duration(u) => format!("duration[{}]", unit(u)),
        DataType::Dictionary(_, value) => type_name(value),
        DataType::List(item) | DataType::LargeList(item) => {
            format!("list<{}>", type_name(item.data_type()))
        }
        DataType::FixedSizeList(item, length) => {
            format!("list<{}>[{length}]", type_name(item.data_type()))
        }
        DataType::Struct(fields) => {
            let fields = fields
                .iter()
                .map(|field| format!("{}: {}", field.name(), type_name(field.data_type())));
            format!("struct<{}>", fields.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string().to_ascii_lowercase(),
    }
}
