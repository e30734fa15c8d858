//! Does a proof hold?

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{AskError, DataFacts, Reply};
use crate::Samples;
use crate::classes::folder::{
    CheckedFolder, ProofFileError, ProofFolder, QuestionKinds, check_folder,
};
use crate::data::samples::Classes;
use crate::data::{Data, Memory};
use crate::models::{Model, Response, SeparationError};
use crate::watch::{Stage, Watch};
use linsep_proof::{
    Proof, Refused, Removals, Verified, verify_binomial, verify_data, verify_model,
};

/// Does a proof hold, for the rows as they stand or for what a model makes of them?
///
/// The proof and the data come with the question; a response that is not the label, too, for models that have one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VerifyQuestion {
    /// The model that the proof is to be about; none: the rows as they stand.
    pub model: Option<Model>,
    /// A folder has to answer about every pair of classes.
    pub pairs: bool,
    /// A folder has to answer about each class against the rest.
    pub one_vs_rest: bool,
    /// A folder has to answer whether one classifier can be right on every row.
    pub argmax: bool,
}

impl VerifyQuestion {
    /// Returns the questions that a folder has to answer.
    pub fn kinds(&self) -> QuestionKinds {
        let VerifyQuestion { pairs, one_vs_rest, argmax, .. } = *self;
        QuestionKinds { pairs, one_vs_rest, argmax }
    }

    /// Errors never: every option is of use.
    pub fn validate(&self) -> Result<(), AskError> {
        Ok(())
    }

    /// Returns the answer if it is known without the data: the proof is about another question.
    pub fn refused(&self, proof: &Proof) -> Option<VerifyAnswer> {
        let refused = proof.answers(self.model.as_ref()).err()?;
        Some(VerifyAnswer { question: self.clone(), data: None, outcome: Err(refused) })
    }

    /// Returns the answer for labelled rows, wherever they are: as they stand, or under a binomial model of their labels.
    ///
    /// Errors if they cannot be read.
    pub fn ask(&self, data: &dyn Data, proof: &Proof) -> Result<VerifyAnswer, AskError> {
        if let Some(refused) = self.refused(proof) {
            return Ok(refused);
        }
        let outcome = match &self.model {
            None => verify_data(data, proof, None)?,
            Some(Model::Binomial { intercept: true }) => verify_binomial(data, proof)?,
            Some(model) => {
                let samples = data.gather()?;
                let samples = samples.ok_or(AskError::NeedsMemory("a proof about this model"))?;
                let response = Response::labels(samples.positive());
                let found = verify_model(samples.features(), model, &response, None, proof);
                found.map_err(SeparationError::from)?
            }
        };
        let outcome = outcome.map_err(|refused| refused.in_file(&data.about().rows));
        Ok(VerifyAnswer { question: self.clone(), data: Some(DataFacts::of(data)), outcome })
    }

    /// Returns the answer for a folder of proofs about rows of many classes. Files that cannot be used are handed to
    /// `failed`; `watch` is told of each that was read.
    ///
    /// Errors if a file cannot be used, or if there is no memory for the rows of a question.
    pub fn ask_folder<E: From<AskError>>(
        &self,
        samples: &Samples,
        classes: &Classes,
        folder: &ProofFolder,
        failed: &dyn Fn(&Path, ProofFileError) -> E,
        watch: &dyn Watch,
    ) -> Result<FolderAnswer, E> {
        let (mut done, of) = (0, folder.index.proofs.len());
        let read = &mut |file: &str| {
            done += 1;
            watch.stage(&Stage::Answered { done, of });
            let (path, proof) = folder.read(file);
            proof.map_err(|error| failed(&path, error))
        };
        let checked = check_folder(&folder.index, samples, classes, self.kinds(), read)?;
        Ok(FolderAnswer {
            question: self.clone(),
            data: DataFacts::of(&Memory::new(samples)),
            names: classes.names().to_vec(),
            checked,
        })
    }
}

/// Whether a proof holds.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct VerifyAnswer {
    /// What was asked.
    pub question: VerifyQuestion,
    /// What the data is; none if it did not have to be read, or is a design.
    pub data: Option<DataFacts>,
    /// What the checker says.
    pub outcome: Result<Verified, Refused>,
}

impl VerifyAnswer {
    /// Returns the answer that the checker gave about the design and the response of a model.
    pub fn of(question: &VerifyQuestion, outcome: Result<Verified, Refused>) -> Self {
        VerifyAnswer { question: question.clone(), data: None, outcome }
    }

    /// Returns yes if it holds.
    pub fn reply(&self) -> Reply {
        Reply::of(Some(self.outcome.is_ok()))
    }

    /// Returns the answer for programs.
    pub fn to_json(&self) -> Value {
        match &self.outcome {
            Ok(valid) => {
                let verdict = valid.verdict().to_string();
                let mut value = json!({ "valid": true, "verdict": verdict, "reason": null });
                if let Some(model) = valid.model() {
                    value["model"] = json!(model);
                }
                if let Some(Removals { at_least, at_most }) = valid.removals() {
                    value["removal"] = json!({ "at_least": at_least, "at_most": at_most });
                }
                value
            }
            // A proof that does not hold says nothing about the data.
            Err(refused) => {
                json!({ "valid": false, "verdict": null, "reason": refused.to_string() })
            }
        }
    }
}

/// Whether a folder of proofs holds.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FolderAnswer {
    /// What was asked.
    pub question: VerifyQuestion,
    /// What the data is.
    pub data: DataFacts,
    /// The classes, in order.
    pub names: Vec<String>,
    /// What the checker says of each proof, and of the index.
    pub checked: CheckedFolder,
}

impl FolderAnswer {
    /// Returns yes if all of it holds.
    pub fn reply(&self) -> Reply {
        Reply::of(Some(self.checked.is_valid()))
    }

    /// Returns the answer for programs.
    pub fn to_json(&self) -> Value {
        let checked = &self.checked;
        let proofs = checked.proofs.iter().map(|(indexed, reason)| {
            let mut value = serde_json::to_value(indexed).expect("plain data");
            value["valid"] = json!(indexed.file.as_ref().map(|_| reason.is_none()));
            value["reason"] = json!(reason);
            value
        });
        let proofs: Vec<Value> = proofs.collect();
        json!({
            "valid": checked.is_valid(),
            "answers": checked.answers.names(),
            "undecided": checked.open().count(),
            "faults": checked.faults,
            "proofs": proofs,
        })
    }
}
