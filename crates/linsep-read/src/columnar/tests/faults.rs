//! Files that are damaged, changed, or not of one kind; folders and patterns.

use super::*;

fn message(result: Result<impl Sized, Error>, folder: &Folder) -> String {
    let error = result.err().expect("an error");
    error.to_string().replace(&format!("{}/", folder.0.display()), "")
}

/// Returns all that can be read of a file: a damaged one may have other columns than were written.
fn read_all(path: &Path) -> Result<Vec<String>, Error> {
    let files = open(&[path.to_path_buf()])?;
    let of_kind = |kind: ColumnKind| {
        let columns = files.kinds().iter().enumerate();
        columns.filter(|(_, found)| **found == kind).map(|(column, _)| column).collect()
    };
    rows_of(
        &files,
        &Wanted { numbers: of_kind(ColumnKind::Number), texts: of_kind(ColumnKind::Text) },
    )
}

#[test]
fn another_schema_is_an_error() {
    let folder = Folder::new();
    let other = table().project(&[0, 2, 3]).unwrap();
    for end in ["parquet", "arrow"] {
        let first = folder.write(&format!("1.{end}"), &table(), 10);
        let other = folder.write(&format!("2.{end}"), &other, 10);
        let expected = format!(
            "2.{end}: expected \"minus\" (float) as column 2, as in 1.{end}, found \"id\" (int64)"
        );
        assert_eq!(message(open(&[first.clone(), other]), &folder), expected);
        let shorter = table().project(&[0, 1, 2]).unwrap();
        let shorter = folder.write(&format!("3.{end}"), &shorter, 10);
        let expected = format!(
            "3.{end}: expected \"label\" (string) as column 4, as in 1.{end}, found nothing"
        );
        assert_eq!(message(open(&[first, shorter]), &folder), expected);
    }
}

#[test]
fn a_truncated_file_is_an_error() {
    let folder = Folder::new();
    for name in NAMES {
        let bytes = fs::read(folder.write(name, &table(), 3)).unwrap();
        let path = folder.path(&format!("cut-{name}"));
        let whole = read_all(&folder.path(name)).unwrap();
        for length in (0..bytes.len()).step_by(100) {
            fs::write(&path, &bytes[..length]).unwrap();
            match read_all(&path) {
                // A stream may end after any message.
                Ok(rows) => assert!(name.contains("stream") && rows[..] == whole[..rows.len()]),
                Err(error) => {
                    let error = error.to_string();
                    assert!(error.contains(&format!("cut-{name}: ")), "{error}");
                    assert!(error.contains("the file is damaged"), "{error}");
                }
            }
        }
    }
}

#[test]
fn flipped_bits_do_not_bring_it_down() {
    let folder = Folder::new();
    for name in NAMES {
        let bytes = fs::read(folder.write(name, &table(), 3)).unwrap();
        let path = folder.path(&format!("flipped-{name}"));
        for at in (0..bytes.len()).step_by(3) {
            let mut bytes = bytes.clone();
            bytes[at] ^= [0x01, 0x80, 0xff][at / 3 % 3];
            fs::write(&path, &bytes).unwrap();
            // What is read may be wrong, as no sum of the bytes is stored.
            let _ = read_all(&path);
        }
    }
}

/// Returns the bytes with every copy of a number in eight bytes replaced.
fn claiming(bytes: &[u8], found: u64, claimed: u64) -> Vec<u8> {
    let (found, claimed) = (found.to_le_bytes(), claimed.to_le_bytes());
    let mut bytes = bytes.to_vec();
    let places: Vec<usize> = memchr::memmem::find_iter(&bytes, &found).collect();
    assert!(!places.is_empty());
    places.iter().for_each(|&at| bytes[at..at + 8].copy_from_slice(&claimed));
    bytes
}

#[test]
fn rows_that_are_only_claimed_are_an_error() {
    use ::parquet::file::metadata::{ParquetMetaDataReader, ParquetMetaDataWriter};
    let folder = Folder::new();
    let rows = 4_321;
    let x = Float32Array::from_iter_values((0..rows).map(|k| k as f32));
    let batch = RecordBatch::try_from_iter([("x", Arc::new(x) as _)]).unwrap();
    let claims = [rows as u64 + 1, 1 << 40, i64::MAX as u64];
    for claimed in claims {
        let path = folder.write("a.parquet", &batch, 10_000);
        let bytes = fs::read(&path).unwrap();
        let file = File::open(&path).unwrap();
        let found = ParquetMetaDataReader::new().parse_and_finish(&file);
        let mut builder = found.unwrap().into_builder();
        let groups = builder.take_row_groups();
        let groups = groups
            .into_iter()
            .map(|group| group.into_builder().set_num_rows(claimed as i64).build().unwrap());
        let lying = builder.set_row_groups(groups.collect()).build();
        let mut out = bytes[..bytes.len() - 8].to_vec();
        ParquetMetaDataWriter::new(&mut out, &lying).finish().unwrap();
        fs::write(&path, out).unwrap();
        let error = message(read_all(&path), &folder);
        assert!(error.contains(&format!("expected {claimed} rows")), "{error}");
        for name in ["a.arrow", "stream.arrow"] {
            let path = folder.write(name, &batch, 10_000);
            let bytes = fs::read(&path).unwrap();
            fs::write(&path, claiming(&bytes, rows as u64, claimed)).unwrap();
            let error = message(read_all(&path), &folder);
            assert!(error.contains("the file is damaged"), "{error}");
        }
    }
}

#[test]
fn lists_as_long_as_no_memory_are_an_error_with_the_figure() {
    use arrow_array::FixedSizeListArray;
    use arrow_schema::{DataType, Field};
    if linsep_data::memory::available().is_none_or(|bytes| bytes > 500_000_000_000) {
        return eprintln!("SKIPPED: there may be memory for them");
    }
    let folder = Folder::new();
    let item = Arc::new(Field::new("item", DataType::Float64, true));
    let lists = FixedSizeListArray::new_null(item, i32::MAX, 0);
    let batch = RecordBatch::try_from_iter([("e", Arc::new(lists) as _)]).unwrap();
    let path = folder.path("a.arrow");
    let mut writer = FileWriter::try_new(File::create(&path).unwrap(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    let error = message(open(&[path]), &folder);
    let needed = error.strip_prefix("column \"e\": not enough memory: 549.").unwrap_or(&error);
    assert!(needed.ends_with(" GB more are needed"), "{error}");
}

#[test]
fn buffers_that_claim_to_become_huge_are_an_error_with_the_figure() {
    let folder = Folder::new();
    let x = Float32Array::from_iter_values((0..4_321).map(|k| (k / 100) as f32));
    let batch = RecordBatch::try_from_iter([("x", Arc::new(x) as _)]).unwrap();
    let path = folder.path("a.arrow");
    let options = arrow_ipc::writer::IpcWriteOptions::default()
        .try_with_compression(Some(arrow_ipc::CompressionType::LZ4_FRAME))
        .unwrap();
    let file = File::create(&path).unwrap();
    let mut writer = FileWriter::try_new_with_options(file, &batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    assert_eq!(read_all(&path).unwrap().len(), 4_321);
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, claiming(&bytes, 4 * 4_321, 1 << 50)).unwrap();
    let error = message(read_all(&path), &folder);
    assert!(error.starts_with("a.arrow: not enough memory: 1.1 PB more"), "{error}");
}

#[test]
fn a_changed_file_is_an_error() {
    let folder = Folder::new();
    let wanted = Wanted { numbers: vec![0], texts: vec![] };
    for name in NAMES {
        let path = folder.write(name, &table(), 3);
        let files = open(std::slice::from_ref(&path)).unwrap();
        let read =
            |each: &mut dyn FnMut(Batch) -> Result<(), Error>| files.read(0, &wanted, None, each);
        assert!(read(&mut |_| Ok(())).is_ok());
        let changed = format!("{name}: the file has changed since it was first read");
        let longer = || {
            let mut bytes = fs::read(&path).unwrap();
            bytes.push(0);
            fs::write(&path, bytes).unwrap();
            Ok(())
        };
        assert_eq!(message(read(&mut |_| longer()), &folder), changed);
        assert_eq!(message(read(&mut |_| Ok(())), &folder), changed);
        fs::remove_file(&path).unwrap();
        assert!(message(read(&mut |_| Ok(())), &folder).starts_with(&format!("{name}: ")));
    }
}

#[test]
fn a_folder_or_a_pattern_stands_for_its_files() {
    let folder = Folder::new();
    for name in ["b.parquet", "a.pq", "_SUCCESS", ".a.parquet.crc", "notes.txt", "_x.parquet"] {
        fs::write(folder.path(name), "").unwrap();
    }
    let check = |name: &str, expected: &[&str]| {
        let found = part_files(&folder.path(name)).unwrap();
        let expected = expected.iter().map(|name| folder.path(name)).collect::<Vec<_>>();
        assert_eq!(found.unwrap_or_default(), expected, "{name}");
    };
    check("", &["a.pq", "b.parquet"]);
    check("*", &["a.pq", "b.parquet"]);
    check("?.p*t", &["b.parquet"]);
    check("b.parquet", &[]);
    check("missing.parquet", &[]);
    let error = message(part_files(&folder.path("c*")), &folder);
    assert_eq!(error, "c*: expected Parquet or Arrow files, found none");
    fs::write(folder.path("c.arrow"), "").unwrap();
    let error = message(part_files(&folder.path("*")), &folder);
    assert_eq!(error, "*: cannot read Parquet and Arrow files side by side; expected one format");
    fs::create_dir(folder.path("year=2024")).unwrap();
    let error = message(part_files(&folder.0), &folder);
    assert!(error.contains("the folder \"year=2024\" in it"), "{error}");
}
