//! An engine among call-specs it never saw.

use super::odd;
use super::report::Report;
use super::{SURVIVE, Subject, cause};
use crate::model::CallSpec;

impl Subject {
    /// Says what it is, and supports and runs nothing it does not know.
    pub(super) async fn check_engine(&self, report: &mut Report) {
        let before = report.count();
        if let Err(error) = self.plugin.about(&self.cancel).await {
            report.bad(format!("engine: saying what it is, it {}", cause(&error)), SURVIVE);
            return;
        }
        for (name, plan) in odd::plans() {
            let spec = CallSpec { format: "odd/0".to_owned(), bytes: plan.into() };
            if let Err(error) = self.plugin.supported(vec![spec.clone()], &self.cancel).await {
                report.bad(format!("engine: asked about {name}, it {}", cause(&error)), SURVIVE);
            }
            if let Err(error) = self.plugin.execute(&spec, "{}", &self.cancel).await {
                report.bad(format!("engine: running {name}, it {}", cause(&error)), SURVIVE);
            }
        }
        report.ok_since(before, "engine: survives call-specs it never saw");
    }
}
