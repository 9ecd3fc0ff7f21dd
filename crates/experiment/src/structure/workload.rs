//! Workloads: from the document to the types. What several kinds read alike stands here; each kind reads its
//! own keys.

use words::WorkloadKind;

use crate::reader::{Fields, Node, Reader};
use crate::workload::Workload;

impl Reader {
    pub(crate) fn whole_list(&mut self, node: &Node<'_>, most: u32) -> Option<Vec<u32>> {
        self.list(node, "[1, 2, 4]", |reader, element| reader.whole(element, 1_u32, most))
    }

    pub(crate) fn optional_whole(&mut self, fields: &Fields<'_>, key: &str, most: u32) -> Option<u32> {
        fields.get(key).and_then(|node| self.whole(&node, 1_u32, most))
    }

    pub(super) fn workload(&mut self, node: &Node<'_>) -> Option<Workload> {
        let unchecked = self.open_table(node, "workload", node.value.as_table());
        if !node.value.is_table() {
            self.table(node, "workload", &[]);
            return None;
        }
        let kind = self.required(&unchecked, "kind", "kind = \"tpcc\"")?;
        let kinds: Vec<(&'static str, WorkloadKind)> =
            WorkloadKind::ALL.iter().map(|kind| (kind.name(), *kind)).collect();
        let kind = self.choice(&kind, &kinds)?;
        Some(Workload::read(kind, self, node))
    }
}
