//! Benchmarks.
use linsep::data::generate::Generator;
use linsep::online::*;
fn main() {
    let a: Vec<usize> = std::env::args().skip(1).map(|s| s.parse().unwrap()).collect();
    let samples = Generator::new(a[0], a[1], a[2] as u64).samples::<f64>().unwrap();
    for skip in [true, false] {
        if !skip && a[3] == 0 {
            continue;
        }
        let settings = FitSettings {
            method: MethodSettings::Fine(fine::Settings { skip, ..Default::default() }),
            ..Default::default()
        };
        let fit = fit(&samples, &settings, &mut (), None).unwrap();
        println!(
            "{skip} {:?} epochs {} updates {} passes {:.2} {:.2}s margin {:?} bound {:?}",
            fit.stop,
            fit.epochs,
            fit.updates,
            fit.rows_evaluated as f64 / a[0] as f64,
            fit.seconds,
            fit.evaluation.margin,
            fit.margin_bound
        );
        if a.len() > 4 {
            let mut last = 0;
            for r in &fit.history {
                if r.epoch < 60 || r.epoch % 20 == 0 {
                    println!(
                        "{} mist {} passes {:.3}",
                        r.epoch,
                        r.mistakes,
                        (r.rows_evaluated - last) as f64 / a[0] as f64
                    );
                }
                last = r.rows_evaluated;
            }
        }
    }
}
