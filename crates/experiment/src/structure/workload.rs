//! Workloads: from the document to the types, kind by kind.

use crate::reader::{Node, Reader};
use crate::workload::Workload;

/// The kinds of workload, before their keys are read.
#[derive(Clone, Copy)]
enum Kind {
    Tpcc,
    Sysbench,
    Durability,
    Block,
    Backup,
    Scan,
    Neighbour,
    Fragmentation,
}

impl Reader {
    pub(super) fn whole_list(&mut self, node: &Node<'_>, most: u32) -> Option<Vec<u32>> {
        self.list(node, "[1, 2, 4]", |reader, element| reader.whole(element, 1_u32, most))
    }

    pub(super) fn workload(&mut self, node: &Node<'_>) -> Option<Workload> {
        let unchecked = self.open_table(node, "workload", node.value.as_table());
        if !node.value.is_table() {
            self.table(node, "workload", &[]);
            return None;
        }
        let kind = self.required(&unchecked, "kind", "kind = \"tpcc\"")?;
        let kinds = [
            ("tpcc", Kind::Tpcc),
            ("sysbench", Kind::Sysbench),
            ("durability", Kind::Durability),
            ("block", Kind::Block),
            ("backup", Kind::Backup),
            ("scan", Kind::Scan),
            ("neighbour", Kind::Neighbour),
            ("fragmentation", Kind::Fragmentation),
        ];
        Some(match self.choice(&kind, &kinds)? {
            Kind::Tpcc => Workload::Tpcc(self.tpcc(node)),
            Kind::Sysbench => Workload::Sysbench(self.sysbench(node)),
            Kind::Durability => Workload::Durability(self.durability(node)),
            Kind::Block => Workload::Block(self.block(node)),
            Kind::Backup => Workload::Backup(self.backup(node)),
            Kind::Scan => Workload::Scan(self.scan(node)),
            Kind::Neighbour => Workload::Neighbour(self.neighbour(node)),
            Kind::Fragmentation => Workload::Fragmentation(self.fragmentation(node)),
        })
    }
}
