//! A cluster in a process, for tests.

use std::sync::Mutex;

use linsep::Samples;
use linsep::data::{Block, Data, Error, Memory};
use linsep::decide::remote::{Cluster, Remote, answer, merge};

/// Machines that hold parts of the rows; what they send is counted.
pub struct Machines<'a> {
    pub samples: &'a Samples,
    /// The first row of each part, and its rows.
    parts: Vec<(usize, Samples)>,
    /// Bytes of the longest request and of the longest answer.
    pub longest: Mutex<(usize, usize)>,
}

impl<'a> Machines<'a> {
    /// Returns at most `count` machines, those that have rows.
    pub fn new(samples: &'a Samples, count: usize) -> Self {
        let rows = samples.rows();
        // Skewed: the parts grow. A machine without rows has nothing to answer, and is not asked.
        let start = |k: usize| rows * k * k / (count * count);
        let parts = (0..count).filter(|&k| start(k) < start(k + 1)).map(|k| {
            let part: Vec<usize> = (start(k)..start(k + 1)).collect();
            (start(k), samples.part_of(&part).unwrap())
        });
        Machines { samples, parts: parts.collect(), longest: Mutex::default() }
    }

    /// Returns the rows as data.
    pub fn remote(&self) -> Remote<'_> {
        Remote::new(self, Memory::new(self.samples).shape(), self.samples.about().clone())
    }
}

/// Returns what a request finds in rows that are shown in two blocks, the later rows first.
pub fn answer_in_two(request: &[u8], rows: &Samples, first: usize) -> Option<Vec<u8>> {
    let half = rows.rows() / 2;
    let blocks =
        [half..rows.rows(), 0..half].map(|at| Block::at(rows, at.clone(), first + at.start));
    answer(request, &blocks, rows.rows() as u64)
}

impl Cluster for Machines<'_> {
    fn ask(&self, request: &[u8]) -> Result<Vec<u8>, Error> {
        let answers = self.parts.iter().map(|(first, rows)| answer_in_two(request, rows, *first));
        let mut answers: Vec<Vec<u8>> = answers.collect::<Option<_>>().expect("a sound request");
        let mut longest = self.longest.lock().unwrap();
        longest.0 = longest.0.max(request.len());
        longest.1 = answers.iter().map(Vec::len).fold(longest.1, usize::max);
        // Two by two, from both ends: far parts are merged first.
        while answers.len() > 1 {
            let last = answers.pop().unwrap();
            let middle = answers.len() / 2;
            answers[middle] = merge(request, &last, &answers[middle]).expect("sound answers");
        }
        Ok(answers.pop().unwrap())
    }

    fn fetch(&self, rows: &[usize]) -> Result<Samples, Error> {
        self.samples.part_of(rows)
    }
}
