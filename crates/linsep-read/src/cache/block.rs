//! A block of raw rows as bytes: each column in the smallest type that holds all its values exactly.

use linsep_data::error::{Error, ErrorKind};
use linsep_data::samples::Element;
use linsep_data::samples::{Dense, Features, RowIds, Sparse};

/// How the values of a column are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Width {
    /// All are the same, and it is written once.
    Constant = 0,
    U8 = 1,
    I16 = 2,
    I32 = 3,
    F32 = 4,
    F64 = 5,
}

impl Width {
    fn of(values: &[f64]) -> Self {
        let bits = |value: f64| value.to_bits();
        let Some(&first) = values.first() else { return Width::Constant };
        if values.iter().all(|&value| bits(value) == bits(first)) {
            return Width::Constant;
        }
        let (mut least, mut most, mut whole, mut single) = (0_i32, 0_i32, true, true);
        for &value in values {
            // A negative zero and NaN are not integers, and keep their bits as floats.
            let integer = value as i32;
            whole &= bits(f64::from(integer)) == bits(value);
            (least, most) = (least.min(integer), most.max(integer));
            single &= bits(f64::from(value as f32)) == bits(value);
        }
        match whole {
            true if least >= 0 && most <= 255 => Width::U8,
            true if least >= i32::from(i16::MIN) && most <= i32::from(i16::MAX) => Width::I16,
            true => Width::I32,
            false if single => Width::F32,
            false => Width::F64,
        }
    }

    fn bytes(self) -> usize {
        match self {
            Width::Constant => 0,
            Width::U8 => 1,
            Width::I16 => 2,
            Width::I32 | Width::F32 => 4,
            Width::F64 => 8,
        }
    }
}

/// Adds a column to a block.
fn write_column(values: &[f64], out: &mut Vec<u8>) {
    let width = Width::of(values);
    out.push(width as u8);
    match width {
        Width::Constant => {
            out.extend_from_slice(&values.first().copied().unwrap_or(0.0).to_le_bytes());
        }
        Width::U8 => out.extend(values.iter().map(|&v| v as u8)),
        Width::I16 => out.extend(values.iter().flat_map(|&v| (v as i16).to_le_bytes())),
        Width::I32 => out.extend(values.iter().flat_map(|&v| (v as i32).to_le_bytes())),
        Width::F32 => out.extend(values.iter().flat_map(|&v| (v as f32).to_le_bytes())),
        Width::F64 => out.extend(values.iter().flat_map(|&v| v.to_le_bytes())),
    }
}

/// Bytes that are taken from the front.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Error> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or_else(damaged)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        Ok(self.take(N)?.try_into().expect("as many bytes"))
    }

    fn number(&mut self) -> Result<usize, Error> {
        Ok(u32::from_le_bytes(self.array()?) as usize)
    }
}

fn damaged() -> Error {
    ErrorKind::Damaged { what: "a block of the cache is cut".to_string() }.into()
}

/// Reads `rows` values of a column; gives each to `put`.
fn read_column(
    bytes: &mut Bytes,
    rows: usize,
    mut put: impl FnMut(usize, f64),
) -> Result<(), Error> {
    let [tag] = bytes.array()?;
    let widths = [Width::Constant, Width::U8, Width::I16, Width::I32, Width::F32, Width::F64];
    let width = *widths.get(usize::from(tag)).ok_or_else(damaged)?;
    if width == Width::Constant {
        let value = f64::from_le_bytes(bytes.array()?);
        (0..rows).for_each(|i| put(i, value));
        return Ok(());
    }
    let data = bytes.take(rows.checked_mul(width.bytes()).ok_or_else(damaged)?)?;
    fn all<const N: usize>(data: &[u8], mut put: impl FnMut(usize, [u8; N])) {
        for (i, value) in data.chunks_exact(N).enumerate() {
            put(i, value.try_into().expect("as many bytes"));
        }
    }
    match width {
        Width::Constant => {}
        Width::U8 => all(data, |i, [v]: [u8; 1]| put(i, f64::from(v))),
        Width::I16 => all(data, |i, v| put(i, f64::from(i16::from_le_bytes(v)))),
        Width::I32 => all(data, |i, v| put(i, f64::from(i32::from_le_bytes(v)))),
        Width::F32 => all(data, |i, v| put(i, f64::from(f32::from_le_bytes(v)))),
        Width::F64 => all(data, |i, v| put(i, f64::from_le_bytes(v))),
    }
    Ok(())
}

/// Returns a block of dense rows.
pub(super) fn encode_dense<T: Element>(values: &[T], columns: usize) -> Vec<u8> {
    let mut out = vec![];
    let mut column = vec![];
    for k in 0..columns {
        column.clear();
        column.extend(values[k..].iter().step_by(columns).map(|v| v.widen()));
        write_column(&column, &mut out);
    }
    out
}

/// Returns a block of sparse rows; `ends` says where each ends.
pub(super) fn encode_sparse(ends: &[usize], indices: &[u32], values: &[f64]) -> Vec<u8> {
    let mut out = vec![];
    out.extend_from_slice(&(values.len() as u32).to_le_bytes());
    let mut before = 0;
    for &end in ends {
        out.extend_from_slice(&((end - before) as u32).to_le_bytes());
        before = end;
    }
    let wide = indices.iter().any(|&k| k > u32::from(u16::MAX));
    out.push(u8::from(wide));
    match wide {
        true => out.extend(indices.iter().flat_map(|k| k.to_le_bytes())),
        false => out.extend(indices.iter().flat_map(|&k| (k as u16).to_le_bytes())),
    }
    write_column(values, &mut out);
    out
}

/// Adds the names of rows to a block.
pub(super) fn encode_ids(ids: &RowIds, out: &mut Vec<u8>) {
    for i in 0..ids.len() {
        let id = ids.get(i).as_bytes();
        out.extend_from_slice(&(id.len() as u32).to_le_bytes());
        out.extend_from_slice(id);
    }
}

/// What the rows of a cache look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) enum CacheShape {
    /// Dense `f64`, with the number of columns.
    Dense64(usize),
    /// Dense `f32`, with the number of columns.
    Dense32(usize),
    /// Sparse: the number of the first feature, and of all features.
    Sparse(u8, usize),
}

/// Returns the rows of a block, and their names if it has any.
pub(super) fn decode(
    bytes: &[u8],
    rows: usize,
    shape: CacheShape,
    named: bool,
) -> Result<(Features, Option<RowIds>), Error> {
    let mut bytes = Bytes(bytes);
    let features = match shape {
        CacheShape::Dense64(columns) => {
            let mut values = vec![0.0_f64; rows * columns];
            for k in 0..columns {
                read_column(&mut bytes, rows, |i, v| values[i * columns + k] = v)?;
            }
            Dense::new(values, rows, columns).into()
        }
        CacheShape::Dense32(columns) => {
            let mut values = vec![0.0_f32; rows * columns];
            for k in 0..columns {
                // Every value was one of this type.
                read_column(&mut bytes, rows, |i, v| values[i * columns + k] = v as f32)?;
            }
            Dense::new(values, rows, columns).into()
        }
        CacheShape::Sparse(base, columns) => {
            let stored = bytes.number()?;
            let mut offsets = vec![0];
            for _ in 0..rows {
                offsets.push(offsets[offsets.len() - 1] + bytes.number()?);
            }
            let [wide] = bytes.array()?;
            let index = |k: u32| k.checked_sub(u32::from(base)).ok_or_else(damaged);
            let each = if wide == 1 { 4 } else { 2 };
            let data = bytes.take(stored.checked_mul(each).ok_or_else(damaged)?)?;
            let indices = data.chunks_exact(each).map(|k| match *k {
                [a, b] => index(u32::from(u16::from_le_bytes([a, b]))),
                [a, b, c, d] => index(u32::from_le_bytes([a, b, c, d])),
                _ => Err(damaged()),
            });
            let indices = indices.collect::<Result<Vec<_>, _>>()?;
            let mut values = vec![0.0; stored];
            read_column(&mut bytes, stored, |i, v| values[i] = v)?;
            let sparse = Sparse::new(offsets, indices, values, columns);
            Features::Sparse(sparse.map_err(ErrorKind::Sparse)?)
        }
    };
    let mut ids = None;
    if named {
        let mut all = RowIds::default();
        for _ in 0..rows {
            let length = bytes.number()?;
            all.push(&String::from_utf8_lossy(bytes.take(length)?));
        }
        ids = Some(all);
    }
    Ok((features, ids))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(values: &[f64], width: Width) {
        assert_eq!(Width::of(values), width, "{values:?}");
        let bytes = encode_dense(values, 1);
        let (found, _) = decode(&bytes, values.len(), CacheShape::Dense64(1), false).unwrap();
        for (i, value) in values.iter().enumerate() {
            found.for_each(i, |_, found| assert_eq!(found.to_bits(), value.to_bits()));
        }
        for cut in 0..bytes.len() {
            assert!(decode(&bytes[..cut], values.len(), CacheShape::Dense64(1), false).is_err());
        }
    }

    #[test]
    fn columns_take_the_smallest_type_that_is_exact() {
        check(&[0.1, 0.1], Width::Constant);
        check(&[f64::NAN, f64::NAN], Width::Constant);
        check(&[0.0, 255.0], Width::U8);
        check(&[0.0, 256.0, -1.0], Width::I16);
        check(&[0.0, 1e9], Width::I32);
        check(&[0.0, -0.0], Width::F32);
        check(&[0.5, f64::INFINITY], Width::F32);
        check(&[0.1, 1.0], Width::F64);
        check(&[1e300, 1.0], Width::F64);
        check(&[4e9, 1.0], Width::F32);
        check(&[4_294_967_295.0, 1.0], Width::F64);
    }

    proptest! {
        #[test]
        fn any_block_reads_back(
            rows in prop::collection::vec(prop::collection::vec(any::<f64>(), 3), 1..20),
            names in prop::collection::vec(".{0,5}", 20),
        ) {
            let values: Vec<f64> = rows.concat();
            let mut ids = RowIds::default();
            names[..rows.len()].iter().for_each(|name| ids.push(name));
            let mut bytes = encode_dense(&values, 3);
            encode_ids(&ids, &mut bytes);
            let (found, named) = decode(&bytes, rows.len(), CacheShape::Dense64(3), true).unwrap();
            prop_assert_eq!(named.unwrap(), ids);
            let mut back = vec![];
            (0..rows.len()).for_each(|i| found.for_each(i, |_, v| back.push(v.to_bits())));
            let values: Vec<u64> = values.iter().map(|v| v.to_bits()).collect();
            prop_assert_eq!(back, values);
        }

        #[test]
        fn damage_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..60), rows in 0usize..9) {
            for shape in [CacheShape::Dense64(2), CacheShape::Dense32(1), CacheShape::Sparse(1, 5)] {
                let _ = decode(&bytes, rows, shape, true);
            }
        }
    }
}
