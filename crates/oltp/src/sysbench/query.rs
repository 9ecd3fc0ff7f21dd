//! The requests of one transaction: the statements of each test in sysbench's order, with the tables and ids
//! drawn as sysbench draws them.

use super::distribution::Ids;
use super::options::{Options, Test};
use super::pattern::{CText, PadText};
use super::random::Random;
use super::statement::Statement;

/// Point selects in a transaction of more than one statement.
const POINT_SELECTS: usize = 10;

/// One statement with its values. Tables and ids count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Query {
    Begin,
    Point { table: u32, id: u32 },
    Range { statement: Statement, table: u32, low: u32, high: u32 },
    IndexUpdate { table: u32, id: u32 },
    NonIndexUpdate { table: u32, id: u32, c: CText },
    Delete { table: u32, id: u32 },
    Insert { table: u32, id: u32, k: u32, c: CText, pad: PadText },
    Commit,
}

impl Query {
    pub(crate) fn statement(&self) -> Statement {
        match self {
            Self::Begin => Statement::Begin,
            Self::Point { .. } => Statement::PointSelect,
            Self::Range { statement, .. } => *statement,
            Self::IndexUpdate { .. } => Statement::IndexUpdate,
            Self::NonIndexUpdate { .. } => Statement::NonIndexUpdate,
            Self::Delete { .. } => Statement::Delete,
            Self::Insert { .. } => Statement::Insert,
            Self::Commit => Statement::Commit,
        }
    }
}

/// Draws the transactions of one thread.
#[derive(Clone, Debug)]
pub(crate) struct Transactions {
    test: Test,
    tables: u32,
    range_size: u32,
    ids: Ids,
    random: Random,
}

impl Transactions {
    /// Of thread `thread`, counted from 0.
    pub(crate) fn new(options: &Options, thread: u32) -> Self {
        Self {
            test: options.test,
            tables: options.tables,
            range_size: options.range_size,
            ids: Ids::new(options.distribution, options.rows),
            random: Random::new(options.seed, u64::from(thread) + 1),
        }
    }

    /// The next transaction, replacing the contents of `queries`.
    pub(crate) fn draw(&mut self, queries: &mut Vec<Query>) {
        queries.clear();
        match self.test {
            Test::ReadWrite => {
                queries.push(Query::Begin);
                self.reads(queries);
                self.writes(queries);
                queries.push(Query::Commit);
            }
            Test::ReadOnly => {
                queries.push(Query::Begin);
                self.reads(queries);
                queries.push(Query::Commit);
            }
            Test::WriteOnly => {
                queries.push(Query::Begin);
                self.writes(queries);
                queries.push(Query::Commit);
            }
            Test::PointSelect => self.points(1, queries),
            Test::UpdateIndex => self.index_update(queries),
            Test::UpdateNonIndex => self.non_index_update(queries),
        }
    }

    fn reads(&mut self, queries: &mut Vec<Query>) {
        self.points(POINT_SELECTS, queries);
        for statement in
            [Statement::SimpleRange, Statement::SumRange, Statement::OrderRange, Statement::DistinctRange]
        {
            let (table, low) = (self.table(), self.id());
            queries.push(Query::Range { statement, table, low, high: low + self.range_size - 1 });
        }
    }

    fn writes(&mut self, queries: &mut Vec<Query>) {
        self.index_update(queries);
        self.non_index_update(queries);
        let (table, id, k) = (self.table(), self.id(), self.id());
        let (c, pad) = (CText::draw(&mut self.random), PadText::draw(&mut self.random));
        queries.push(Query::Delete { table, id });
        queries.push(Query::Insert { table, id, k, c, pad });
    }

    /// All point selects of a transaction go to one table.
    fn points(&mut self, count: usize, queries: &mut Vec<Query>) {
        let table = self.table();
        for _ in 0..count {
            let id = self.id();
            queries.push(Query::Point { table, id });
        }
    }

    fn index_update(&mut self, queries: &mut Vec<Query>) {
        let (table, id) = (self.table(), self.id());
        queries.push(Query::IndexUpdate { table, id });
    }

    fn non_index_update(&mut self, queries: &mut Vec<Query>) {
        let table = self.table();
        let c = CText::draw(&mut self.random);
        let id = self.id();
        queries.push(Query::NonIndexUpdate { table, id, c });
    }

    /// Always uniform, whatever the distribution of the ids.
    fn table(&mut self) -> u32 {
        self.random.uniform(1, self.tables)
    }

    fn id(&mut self) -> u32 {
        self.ids.draw(&mut self.random)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(test: Test) -> Vec<Query> {
        let options = Options { test, tables: 7, ..Options::default() };
        let mut queries = Vec::new();
        Transactions::new(&options, 0).draw(&mut queries);
        queries
    }

    fn names(queries: &[Query]) -> Vec<&'static str> {
        queries.iter().map(|query| query.statement().name()).collect()
    }

    #[test]
    fn every_test_asks_what_sysbench_asks() {
        let reads = ["simple_range", "sum_range", "order_range", "distinct_range"];
        let writes = ["index_update", "non_index_update", "delete", "insert"];
        let points = ["point_select"; 10];
        let all = [&["begin"][..], &points, &reads, &writes, &["commit"]].concat();
        assert_eq!(names(&drawn(Test::ReadWrite)), all);
        assert_eq!(all.len(), 20);
        assert_eq!(names(&drawn(Test::ReadOnly)), [&["begin"][..], &points, &reads, &["commit"]].concat());
        assert_eq!(names(&drawn(Test::WriteOnly)), [&["begin"][..], &writes, &["commit"]].concat());
        assert_eq!(names(&drawn(Test::PointSelect)), ["point_select"]);
        assert_eq!(names(&drawn(Test::UpdateIndex)), ["index_update"]);
        assert_eq!(names(&drawn(Test::UpdateNonIndex)), ["non_index_update"]);
        for test in Test::ALL {
            let (reads, writes, other) = test.queries();
            assert_eq!(drawn(test).len(), (reads + writes + other) as usize, "{test}");
            assert_eq!(test.writes(), writes > 0);
            let drawn = drawn(test);
            assert!(test.statements().iter().all(|of| drawn.iter().any(|query| query.statement() == *of)));
            assert!(drawn.iter().all(|query| test.statements().contains(&query.statement())), "{test}");
        }
    }

    #[test]
    fn the_insert_replaces_the_deleted_row_and_the_points_share_a_table() {
        let queries = drawn(Test::ReadWrite);
        let (Query::Delete { table, id }, Query::Insert { table: into, id: again, .. }) =
            (&queries[17], &queries[18])
        else {
            panic!("{queries:?}");
        };
        assert_eq!((table, id), (into, again));
        let tables: std::collections::BTreeSet<u32> = queries
            .iter()
            .filter_map(|query| if let Query::Point { table, .. } = query { Some(*table) } else { None })
            .collect();
        assert_eq!(tables.len(), 1);
        let Query::Range { low, high, .. } = queries[11] else { panic!("{queries:?}") };
        assert_eq!(high - low, 99);
    }

    #[test]
    fn tables_are_drawn_uniformly_whatever_the_ids() {
        let options = Options { test: Test::PointSelect, tables: 5, ..Options::default() };
        let (mut transactions, mut queries) = (Transactions::new(&options, 3), Vec::new());
        let mut counts = [0_u32; 5];
        for _ in 0..50_000 {
            transactions.draw(&mut queries);
            let Query::Point { table, .. } = queries[0] else { panic!("{queries:?}") };
            counts[table as usize - 1] += 1;
        }
        // Chi-square with 4 degrees of freedom: 18.5 is the 0.1 % point.
        let chi: f64 = counts.iter().map(|&n| (f64::from(n) - 1e4).powi(2) / 1e4).sum();
        assert!(chi < 18.5, "{counts:?}: {chi}");
    }

    #[test]
    fn threads_draw_different_transactions_and_a_seed_repeats_them() {
        let options = Options::default();
        let of = |thread| {
            let mut queries = Vec::new();
            Transactions::new(&options, thread).draw(&mut queries);
            queries
        };
        assert_eq!(of(0), of(0));
        assert_ne!(of(0), of(1));
    }
}
