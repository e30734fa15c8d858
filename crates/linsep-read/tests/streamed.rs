//! Rows that stay on the disk are the rows that are read into memory: the same values to the last bit, the
//! same labels and names, whatever the format, the options and the size of a block.

#![allow(clippy::disallowed_methods, reason = "numbers of a test")]

use std::fs;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use linsep_data::samples::Missing;
use linsep_data::{Absorb, Block, Data, Samples};
use linsep_read::write::npy_header;
use linsep_read::{
    Categorical, ColumnChoice, Loaded, Meter, ReadOptions, Source, StreamOptions, Streamed, Where,
    load, read,
};

/// A folder that is gone in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("linsep-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> =
            entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns a row with its label as text, every bit of it.
fn row(samples: &Samples, i: usize) -> String {
    let mut text = format!("{} {:x}", samples.positive()[i], samples.norms()[i].to_bits());
    samples.features().for_each(i, |k, v| text.push_str(&format!(" {k}:{:x}", v.to_bits())));
    text
}

struct Collect(Mutex<Vec<(usize, String)>>);

impl Absorb for Collect {
    fn absorb(&self, block: &Block<'_>) {
        let rows = block.places().map(|i| (block.number(i), row(block.samples(), i)));
        self.0.lock().unwrap().extend(rows);
    }
}

fn streamed(path: &Path, options: &ReadOptions, bytes: usize) -> Result<Streamed, String> {
    let stream = StreamOptions { block_bytes: Some(bytes), ..StreamOptions::default() };
    Streamed::open(&Source::from(path), options, &stream, &|_| {}).map_err(|e| e.to_string())
}

/// Checks that a file is the same in blocks and in memory.
fn check(path: &Path, options: &ReadOptions) {
    let whole = match read(&Source::from(path), options, &|_| {}) {
        Ok(samples) => samples,
        Err(error) => {
            let found = streamed(path, options, 100).and_then(|data| {
                let seen = Collect(Mutex::new(vec![]));
                data.pass(&seen).map_err(|error| error.to_string())
            });
            assert_eq!(found.unwrap_err(), error.to_string());
            return;
        }
    };
    let expected: Vec<String> = (0..whole.rows()).map(|i| row(&whole, i)).collect();
    for bytes in [1, 100, 1 << 20] {
        let data = streamed(path, options, bytes).unwrap();
        assert_eq!((data.shape().rows, data.shape().columns), (whole.rows(), whole.columns()));
        assert_eq!(data.about(), whole.about(), "{bytes} bytes");
        let seen = Collect(Mutex::new(vec![]));
        data.pass(&seen).unwrap();
        let mut seen = seen.0.into_inner().unwrap();
        seen.sort();
        let numbers: Vec<usize> = seen.iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers, (0..whole.rows()).collect::<Vec<_>>());
        let rows: Vec<String> = seen.into_iter().map(|(_, row)| row).collect();
        assert_eq!(rows, expected, "{bytes} bytes");

        for first in [0, whole.rows() / 3, whole.rows() - 1] {
            let mut next = first;
            let mut see = |block: &Block<'_>| {
                for i in block.places() {
                    assert_eq!(
                        (block.number(i), row(block.samples(), i)),
                        (next, expected[next].clone())
                    );
                    next += 1;
                }
                ControlFlow::Continue(())
            };
            data.in_order(first, &mut see).unwrap();
            assert_eq!(next, whole.rows());
            let mut blocks = 0;
            let mut once = |_: &Block<'_>| {
                blocks += 1;
                ControlFlow::Break(())
            };
            data.in_order(first, &mut once).unwrap();
            assert_eq!(blocks, 1);
        }

        let gathered = data.gather().unwrap().expect("they fit");
        let kind = |samples: &Samples| std::mem::discriminant(samples.features());
        assert_eq!(kind(gathered), kind(&whole));
        assert_eq!(gathered.positive(), whole.positive());
        assert_eq!(gathered.norms(), whole.norms());
        assert_eq!(gathered.about(), whole.about());
        for (i, expected) in expected.iter().enumerate() {
            assert_eq!(&row(gathered, i), expected);
            let id = gathered.row_ids().map(|ids| ids.get(i));
            assert_eq!(id, whole.row_ids().map(|ids| ids.get(i)));
        }

        let wanted: Vec<usize> = (0..whole.rows()).rev().step_by(2).chain([0, 0]).collect();
        let fetched = data.fetch(&wanted).unwrap();
        for (place, &number) in wanted.iter().enumerate() {
            assert_eq!(row(&fetched, place), expected[number]);
            let id = fetched.row_ids().map(|ids| ids.get(place));
            assert_eq!(id, whole.row_ids().map(|ids| ids.get(number)));
        }
    }
}

fn options(change: impl FnOnce(&mut ReadOptions)) -> ReadOptions {
    let mut options = ReadOptions::default();
    change(&mut options);
    options
}

fn table(rows: usize) -> String {
    let mut text = "who,color,size,count,label\n".to_string();
    for i in 0..rows {
        let color = ["red", "green", "blue", ""][(i * i + i / 3) % if i % 50 == 7 { 4 } else { 3 }];
        let size = match i % 29 {
            0 => String::new(),
            13 => "inf".to_string(),
            _ => format!("{}", (i as f64).sin()),
        };
        let label = ["no", "yes"][i * 7 % 5 % 2];
        text.push_str(&format!("r{i},{color},{size},{},{label}\n", i * 3 % 300));
    }
    text
}

#[test]
fn tables_with_categories_missing_values_and_names() {
    let folder = Folder::new("tables");
    let path = folder.write("table.csv", table(700).as_bytes());
    check(&path, &options(|_| {}));
    for missing in [Missing::Drop, Missing::Mean, Missing::Median] {
        check(&path, &options(|o| o.missing = missing));
        check(
            &path,
            &options(|o| {
                o.missing = missing;
                o.row_id = Some("who".parse().unwrap());
                o.all_levels = true;
                o.exclude = ColumnChoice::parse_list("size");
            }),
        );
    }
    check(&path, &options(|o| o.categorical = Categorical::No));
    let labels: String = (0..700)
        .map(|i| {
            if i == 5 {
                "\n"
            } else if i % 2 == 0 {
                "a\n"
            } else {
                "b\n"
            }
        })
        .collect();
    let labels = folder.write("labels.txt", labels.as_bytes());
    check(
        &path,
        &options(|o| {
            o.missing = Missing::Drop;
            o.labels = Some(labels);
            o.features = Some(ColumnChoice::parse_list("2-4"));
        }),
    );
}

#[test]
fn sparse_text() {
    let folder = Folder::new("sparse");
    let mut text = String::new();
    for i in 0..500 {
        text.push_str(&format!("{} {}:{} {}:1\n", i % 2, 1 + i % 7, i, 10 + i * i % 90));
    }
    check(&folder.write("one.svm", text.as_bytes()), &options(|_| {}));
    check(&folder.write("zero.svm", format!("{text}1 0:5 70000:1\n").as_bytes()), &options(|_| {}));
    check(&folder.write("wrong.svm", format!("{text}1 0:x\n").as_bytes()), &options(|_| {}));
}

#[test]
fn arrays_of_every_kind() {
    use linsep_read::write::npy_header;
    let folder = Folder::new("arrays");
    let values: Vec<f32> = (0..400 * 4)
        .map(|k| match k {
            900 => f32::NAN,
            k if k % 4 == 3 => (k / 4 % 2) as f32,
            k => (k as f32).cos(),
        })
        .collect();
    let bytes = |values: &[f32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let plain = [npy_header("<f4", &[400, 4]), bytes(&values)].concat();
    let path = folder.write("plain.npy", &plain);
    for missing in [Missing::Refuse, Missing::Drop, Missing::Mean, Missing::Median] {
        check(&path, &options(|o| o.missing = missing));
        check(
            &path,
            &options(|o| {
                o.missing = missing;
                o.row_id = Some(ColumnChoice::Number(2));
            }),
        );
    }
    // What cannot be read in blocks goes through the cache.
    let mut columns = vec![];
    (0..4).for_each(|k| columns.extend(values.iter().skip(k).step_by(4)));
    let header = String::from_utf8_lossy(&npy_header("<f4", &[400, 4])[10..])
        .replace("'fortran_order': False", "'fortran_order': True ");
    let mut fortran = npy_header("<f4", &[400, 4])[..10].to_vec();
    fortran.extend_from_slice(header.as_bytes());
    fortran.extend(bytes(&columns));
    let path = folder.write("fortran.npy", &fortran);
    check(&path, &options(|o| o.missing = Missing::Drop));
    let mut gzip = flate2::write::GzEncoder::new(vec![], flate2::Compression::fast());
    gzip.write_all(&plain).unwrap();
    let path = folder.write("plain.npy.gz", &gzip.finish().unwrap());
    check(&path, &options(|o| o.missing = Missing::Drop));
}

#[test]
fn a_cache_is_used_again_and_never_when_it_is_wrong() {
    let folder = Folder::new("cache");
    let path = folder.write("table.csv", b"a,label\n1,x\n2,y\n3,x\n");
    let rows = |path: &Path| streamed(path, &options(|_| {}), 100).map(|data| data.shape().rows);
    assert_eq!(rows(&path), Ok(3));
    let names = folder.names();
    assert_eq!(names.len(), 2, "{names:?}");
    let cache = folder.0.join(names.iter().find(|name| name.ends_with(".linsep-cache")).unwrap());
    let written = fs::metadata(&cache).unwrap().modified().unwrap();
    assert_eq!(rows(&path), Ok(3));
    assert_eq!(fs::metadata(&cache).unwrap().modified().unwrap(), written, "it is used again");
    // Any damage is noticed: at once, or by the block that it is in.
    let whole = fs::read(&cache).unwrap();
    for at in 0..whole.len() {
        let mut spoilt = whole.clone();
        spoilt[at] ^= 0x10;
        fs::write(&cache, &spoilt).unwrap();
        if let Ok(data) = streamed(&path, &options(|_| {}), 100) {
            let seen = Collect(Mutex::new(vec![]));
            let passed = data.pass(&seen);
            assert!(passed.is_err() || seen.0.into_inner().unwrap().len() == 3, "byte {at}");
        }
        fs::write(&cache, &whole[..at]).unwrap();
        assert_eq!(rows(&path), Ok(3), "cut at byte {at}");
    }
    // Other data has another cache, and the old one goes.
    fs::write(&path, b"a,label\n1,x\n2,y\n3,x\n4,y\n").unwrap();
    assert_eq!(rows(&path), Ok(4));
    assert_eq!(folder.names().len(), 2);
    assert!(!cache.exists());
}

#[test]
fn a_cache_that_may_not_be_that_large_is_not_there_at_all() {
    let folder = Folder::new("limit");
    let path = folder.write("table.csv", table(700).as_bytes());
    let stream = StreamOptions { cache_limit: Some(5000), ..StreamOptions::default() };
    let options = options(|o| o.missing = Missing::Drop);
    let error = Streamed::open(&Source::from(path.as_path()), &options, &stream, &|_| {});
    let error = error.err().unwrap().to_string();
    assert!(error.ends_with(".linsep-cache: the cache would exceed 5.0 kB"), "{error}");
    assert_eq!(folder.names(), ["table.csv"]);
}

#[test]
fn a_file_that_changes_or_goes_between_passes_is_noticed() {
    let folder = Folder::new("changes");
    let text = table(700);
    let path = folder.write("table.csv", text.as_bytes());
    let data = streamed(&path, &options(|o| o.missing = Missing::Drop), 100).unwrap();
    let pass = || data.pass(&Collect(Mutex::new(vec![]))).map_err(|error| error.to_string());
    assert_eq!(pass(), Ok(()));
    fs::write(&path, text.replace("no", "yes")).unwrap();
    let changed = pass().unwrap_err();
    assert!(changed.ends_with("table.csv: the file has changed since it was first read"));
    fs::remove_file(&path).unwrap();
    let gone = pass().unwrap_err();
    assert!(gone.contains("table.csv: No such file"), "{gone}");
}

#[test]
fn rows_that_do_not_fit_are_not_gathered() {
    let folder = Folder::new("room");
    let path = folder.write("table.csv", table(200).as_bytes());
    let fits = |memory: u64| {
        let stream = StreamOptions { memory: Some(memory), ..StreamOptions::default() };
        let source = Source::from(path.as_path());
        let options = options(|options| options.missing = Missing::Drop);
        let data = Streamed::open(&source, &options, &stream, &|_| {}).unwrap();
        assert_eq!(data.gather().unwrap().is_some(), data.fits());
        data.fits()
    };
    assert!(fits(1 << 30));
    assert!(!fits(1000));
}

#[test]
fn memory_is_chosen_where_rows_fit() {
    let folder = Folder::new("choice");
    let path = folder.write("table.csv", b"a,label\n1,x\n2,y\n");
    let (options, stream) = (ReadOptions::default(), StreamOptions::default());
    let chosen = |place: Where| {
        let source = Source::from(path.as_path());
        let (loaded, short) = load(&source, &options, place, &stream, &|_| {}).unwrap();
        assert_eq!(short, None);
        assert_eq!(loaded.show(|data| data.shape().rows), 2);
        matches!(loaded, Loaded::Memory(_))
    };
    assert!(chosen(Where::Auto));
    assert!(chosen(Where::Memory));
    assert!(!chosen(Where::Disk));
    // A file without blocks on the disk that says to be far larger than any memory.
    let large = folder.write("large.npy", &npy_header("<f8", &[1 << 36, 4]));
    let file = std::fs::OpenOptions::new().write(true).open(&large).unwrap();
    if file.set_len((1 << 41) + 4096).is_err() {
        return eprintln!("SKIPPED: the disk has no files with holes of 2 TiB");
    }
    let source = Source::from(large.as_path());
    let labels = Some(folder.write("labels.txt", b"0\n1\n"));
    let options = ReadOptions { labels, ..ReadOptions::default() };
    let found = load(&source, &options, Where::Auto, &stream, &|_| {});
    // It is opened on the disk, where two labels are too few for it.
    let error = found.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(error.ends_with("expected 68719476736 labels, one per row, found 2"), "{error}");
}

#[test]
fn a_meter_tells_how_much_has_been_read() {
    let folder = Folder::new("meter");
    // A few chunks of text.
    let rows = 200_000;
    let text: String = (0..rows).map(|i| format!("{i}.25,{}.5,{}\n", i * 7, i % 2)).collect();
    let mut array = npy_header("<f8", &[rows, 3]);
    array.extend((0..3 * rows).flat_map(|i| ((i % 2) as f64).to_le_bytes()));
    let sources = [folder.write("a.csv", text.as_bytes()), folder.write("a.npy", &array)];
    for source in sources.map(|path| Source::from(path.as_path())) {
        for place in [Where::Memory, Where::Disk] {
            let (meter, shares) = (Meter::default(), Mutex::new(vec![]));
            let options = options(|options| {
                options.meter = meter.clone();
                options.label = Some(ColumnChoice::Number(3));
            });
            let progress = |rows| shares.lock().unwrap().extend(meter.share(rows));
            load(&source, &options, place, &StreamOptions::default(), &progress).unwrap();
            let shares = shares.into_inner().unwrap();
            assert!(shares.is_sorted() && shares.last() == Some(&1.0), "{source:?}: {shares:?}");
        }
    }
}
