//! A mapper and an error decoder among odd input: an answer or a refusal, never a trap.

use super::odd::{self, damaged};
use super::report::Report;
use super::{REFUSE, SURVIVE, Subject, cause};
use crate::artifact::{Cause, PluginError};
use crate::cli::inspect::shown;
use crate::model::{MapOptions, Mapping};
use std::sync::Arc;

/// Most methods of a real manifest whose plans are tried; each is a few instances.
const TRIED_METHODS: usize = 20;

/// Most methods that are named as left out.
const SHOWN_SKIPPED: usize = 10;

impl Subject {
    /// Odd manifests, odd plans, and where there is one a real manifest, whole and damaged.
    pub(super) async fn check_mapper(&self, manifest: Option<&[u8]>, report: &mut Report) {
        let (before, odd) = (report.count(), odd::manifests());
        let count = odd.len();
        for (name, bytes) in odd {
            self.check_stranger(name, bytes.into(), report).await;
        }
        report
            .ok_since(before, format!("mapper: recognises and maps none of {count} odd manifests, and survives them"));
        self.check_plans(report).await;
        match manifest {
            Some(manifest) => self.check_real(manifest, report).await,
            None => println!("      (with `--manifest FILE` a real manifest is tried too, whole and damaged)"),
        }
    }

    /// A manifest of no format: nothing of it may be believed.
    async fn check_stranger(&self, name: &str, bytes: Arc<[u8]>, report: &mut Report) {
        match self.plugin.recognise(Arc::clone(&bytes), &self.cancel).await {
            Ok(None) => {}
            Ok(Some(_)) => report.bad(format!("mapper: it recognises {name}"), REFUSE),
            Err(error) => report.bad(format!("mapper: {name}: it {}", cause(&error)), SURVIVE),
        }
        match self.plugin.map(bytes, MapOptions::default(), &self.cancel).await {
            Ok(mapping) if !mapping.methods.is_empty() => {
                report.bad(format!("mapper: it makes methods of {name}"), REFUSE);
            }
            other => survived("mapper", name, other, report),
        }
    }

    async fn check_plans(&self, report: &mut Report) {
        let (before, mut count) = (report.count(), 0);
        for (plan_name, plan) in odd::plans() {
            let plan: Arc<[u8]> = plan.into();
            for (name, value) in odd::values() {
                count += 1;
                let name = format!("{name} under {plan_name}");
                let encoded = self.plugin.encode(Arc::clone(&plan), &value, &self.cancel).await;
                survived("mapper: encoding", &name, encoded, report);
                let decoded = self.plugin.decode_result(Arc::clone(&plan), &value, &self.cancel).await;
                survived("mapper: decoding", &name, decoded, report);
            }
        }
        report.ok_since(before, format!("mapper: encodes and decodes {count} times under plans it never made"));
    }

    /// A manifest the author says is one of theirs.
    async fn check_real(&self, manifest: &[u8], report: &mut Report) {
        let own: Arc<[u8]> = manifest.into();
        match self.plugin.recognise(Arc::clone(&own), &self.cancel).await {
            Ok(Some(found)) => report.ok(format!("manifest: recognised as `{}`, {:?}", found.format, found.fit)),
            Ok(None) => report.bad("manifest: it does not recognise this one", "look at what `recognise` asks for"),
            Err(error) => report.bad(format!("manifest: it {}", cause(&error)), SURVIVE),
        }
        match self.plugin.map(own, MapOptions::default(), &self.cancel).await {
            Ok(mapping) => self.check_mapping(&mapping, report).await,
            Err(error) => report.bad(format!("manifest: it {}", cause(&error)), "map what you recognise"),
        }
        let (before, all) = (report.count(), damaged(manifest));
        let count = all.len();
        for (name, bytes) in all {
            let bytes: Arc<[u8]> = bytes.into();
            survived("mapper", &name, self.plugin.recognise(Arc::clone(&bytes), &self.cancel).await, report);
            let mapped = self.plugin.map(bytes, MapOptions::default(), &self.cancel).await;
            survived("mapper", &name, mapped, report);
        }
        report.ok_since(before, format!("manifest: survives it damaged in {count} ways"));
    }

    async fn check_mapping(&self, mapping: &Mapping, report: &mut Report) {
        let before = report.count();
        let coded = mapping.methods.iter().filter(|method| method.needs_encode || method.needs_decode);
        let tried: Vec<_> = coded.take(TRIED_METHODS).collect();
        for method in &tried {
            for (name, value) in odd::values() {
                let name = format!("`{}`, {name}", method.name);
                let encoded = self.plugin.encode(Arc::clone(&method.plan), &value, &self.cancel).await;
                survived("manifest: encoding", &name, encoded, report);
                let decoded = self.plugin.decode_result(Arc::clone(&method.plan), &value, &self.cancel).await;
                survived("manifest: decoding", &name, decoded, report);
            }
        }
        let (methods, left_out) = (mapping.methods.len(), mapping.skipped.len());
        report.ok_since(
            before,
            format!("manifest: {methods} methods, {left_out} left out; {} were given odd values", tried.len()),
        );
        // Leaving a method out can be meant; whether it is, its author knows.
        for skipped in mapping.skipped.iter().take(SHOWN_SKIPPED) {
            println!("      left out: {}", shown(&format!("`{}`: {}", skipped.method, skipped.reason)));
        }
    }

    /// Failures nobody words that way.
    pub(super) async fn check_decoder(&self, report: &mut Report) {
        let (before, odd) = (report.count(), odd::failures());
        let count = odd.len();
        for (name, failure) in odd {
            let explained = self.plugin.explain(&failure, &self.cancel).await;
            survived("error decoder", name, explained, report);
        }
        report.ok_since(before, format!("error decoder: survives {count} odd failures"));
    }
}

/// A refusal is an answer; a trap, a limit and a breach of the contract are none.
fn survived<T>(role: &str, name: &str, answer: Result<T, PluginError>, report: &mut Report) {
    match answer {
        Err(error) if !matches!(error.cause, Cause::Fault(_)) => {
            report.bad(format!("{role}: {name}: it {}", cause(&error)), SURVIVE);
        }
        _ => {}
    }
}
