//! An experiment written as a file and read again is the same experiment.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use experiment::{
    Arm, Arrivals, Backup, Band, Bed, Block, BlockEngine, Burst, Crash, Database, Design, Discard,
    Distribution, Durability, Engine, Experiment, Extent, FileChoice, Home, Matrix, Method, Mitigation, Mode,
    Neighbour, NeighbourKind, OneOrMix, Order, Pacing, Part, Pattern, Place, Precondition, Profile, Scan,
    Share, Size, SmallestEffect, Span, Steady, SteadyMetric, Storage, Stream, StreamTarget, Synchronous,
    Sysbench, SysbenchTest, Tpcc, Track, Treatment, WHOLE, Workload, Zones, json_schema, parse, to_toml,
};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

fn size() -> impl Strategy<Value = Size> {
    (1_u64 << 20..1 << 40).prop_map(Size)
}

fn span() -> impl Strategy<Value = Span> {
    (1_000_u64..10_000_000).prop_map(|milliseconds| Span(Duration::from_millis(milliseconds)))
}

fn storage() -> impl Strategy<Value = Storage> {
    let drives = select(device::catalogue::names()).prop_map(str::to_owned);
    let drive = prop_oneof![drives, "[a-z]{1,8}\\.toml"];
    let path = || "\\PC{1,20}".prop_map(PathBuf::from);
    prop_oneof![
        (drive, path()).prop_map(|(drive, path)| Storage::Emulated { drive, path }),
        path().prop_map(|path| Storage::Real { path }),
    ]
}

fn beds() -> impl Strategy<Value = Vec<Bed>> {
    let setup = prop::collection::btree_map("\\PC{0,10}", "\\PC{0,20}", 0..3);
    let simulated = option::of("\\PC{0,20}");
    let parts =
        (option::of("\\PC{0,20}"), storage(), option::of(storage()), option::of(size()), setup, simulated);
    let bed = |(index, (label, storage, log, memory, setup, simulated)): (
        usize,
        (_, _, _, _, BTreeMap<String, String>, _),
    )| {
        let name = format!("bed-{index}");
        Bed { name, label, storage, log, memory, cpus: None, memory_limit: None, url: None, setup, simulated }
    };
    prop::collection::vec(parts, 1..4).prop_map(move |parts| parts.into_iter().enumerate().map(bed).collect())
}

fn levels() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::btree_set(1_u32..4096, 1..6).prop_map(|levels| levels.into_iter().collect())
}

fn rate() -> impl Strategy<Value = f64> {
    0.001_f64..1e7
}

fn tpcc() -> impl Strategy<Value = Workload> {
    let pacing =
        prop_oneof![Just(Pacing::None), Just(Pacing::Keyed), rate().prop_map(Pacing::ArrivalsPerSecond)];
    let homes = select(vec![Home::All, Home::Fixed]);
    let profile = option::of(Just(Profile::HammerdbLike));
    let parts = (1_u32..100_000, levels(), pacing, option::of(1_u32..10_000), span(), span(), homes, profile);
    parts.prop_map(|(warehouses, virtual_users, pacing, connections, ramp_up, measure, home, profile)| {
        let connections = connections.filter(|_| pacing.is_paced());
        Workload::Tpcc(Tpcc {
            name: None,
            warehouses,
            virtual_users,
            pacing,
            connections,
            ramp_up,
            measure,
            home,
            profile,
        })
    })
}

fn sysbench() -> impl Strategy<Value = Workload> {
    let test = select(vec![
        SysbenchTest::OltpReadWrite,
        SysbenchTest::OltpReadOnly,
        SysbenchTest::OltpWriteOnly,
        SysbenchTest::OltpPointSelect,
        SysbenchTest::OltpUpdateIndex,
        SysbenchTest::OltpUpdateNonIndex,
    ]);
    let distribution =
        select(vec![Distribution::Uniform, Distribution::Special, Distribution::Pareto, Distribution::Zipf]);
    let sizes = (1_u32..10_000, 1_u32..2_000_000_000, 1_u32..1_000_000);
    let parts = (test, sizes, levels(), span(), span(), distribution, option::of(rate()));
    parts.prop_map(|(test, (tables, rows, range_size), threads, ramp_up, measure, distribution, rate)| {
        Workload::Sysbench(Sysbench {
            name: None,
            test,
            tables,
            rows,
            threads,
            ramp_up,
            measure,
            distribution,
            range_size,
            rate,
        })
    })
}

/// A test with killed servers: a power cut goes with some beds only.
fn durability() -> impl Strategy<Value = Workload> {
    let parts = (1_u32..100_000, 1_u32..100_000, span(), 1_u32..=1000);
    parts.prop_map(|(warehouses, virtual_users, load_for, rounds)| {
        let crash = Crash::Kill;
        Workload::Durability(Durability {
            name: None,
            warehouses,
            virtual_users,
            load_for,
            rounds,
            crash,
            lying_flush: false,
        })
    })
}

fn pattern() -> impl Strategy<Value = Pattern> {
    let part = || (0.001_f64..0.999).prop_map(Share);
    prop_oneof![
        Just(Pattern::Sequential),
        Just(Pattern::Uniform),
        (0.001_f64..5.0).prop_map(Pattern::Zipf),
        (part(), part()).prop_map(|(share, access)| Pattern::HotSpot { share, access }),
        Just(Pattern::Shuffled),
        (0.001_f64..0.999).prop_map(Pattern::Pareto),
        part().prop_map(Pattern::Normal),
        (1_u64..1000).prop_map(|sectors| Pattern::Stride(Size(sectors * 512))),
        (1_u64..1000, 0_u64..1000, 1_u64..100_000, any::<bool>()).prop_map(
            |(range, skip, transfer, random)| {
                let (range, skip) = (Size(range * 512), Size(skip * 512));
                Pattern::Zones(Zones { range, skip, transfer: Size(transfer), random })
            }
        ),
        (1_u32..100, 1_u32..100).prop_map(|(share, access)| {
            let band = |share: u32, access: u32| Band {
                share: format!("{share}%").parse().unwrap(),
                access: format!("{access}%").parse().unwrap(),
            };
            Pattern::Bands(vec![band(share, access), band(100 - share, 100 - access)])
        }),
    ]
}

fn block_size() -> impl Strategy<Value = OneOrMix> {
    let sectors = || (1_u64..2048).prop_map(|count| Size(count * 512));
    let mix = (sectors(), sectors(), 1_u32..100).prop_map(|(first, second, percent)| {
        let share: Share = format!("{percent}%").parse().unwrap();
        let rest: Share = format!("{}%", 100 - percent).parse().unwrap();
        OneOrMix::Mix(vec![Part { size: first, share }, Part { size: second, share: rest }])
    });
    prop_oneof![sectors().prop_map(OneOrMix::One), mix]
}

fn stream() -> impl Strategy<Value = Stream> {
    (pattern(), 0.0_f64..=1.0, block_size(), 0.001_f64..1000.0).prop_map(
        |(pattern, read, block_size, weight)| Stream {
            weight,
            file_choice: if weight > 500.0 { FileChoice::RoundRobin } else { FileChoice::Random },
            discard: (weight < 100.0).then_some(Discard::Share(Share(0.25))),
            ..Stream::new(pattern, Share(read), block_size)
        },
    )
}

/// A stream with a load of its own.
fn own_load() -> impl Strategy<Value = Stream> {
    let burst = (1_u32..1_000_000, 1_u64..1_000_000)
        .prop_map(|(ios, ms)| Burst { ios, every: Span(std::time::Duration::from_millis(ms)) });
    let load = prop_oneof![
        (1_u32..=4096).prop_map(|depth| (Some(depth), None, None)),
        (1_u32..1_000_000).prop_map(|rate| (None, Some(f64::from(rate) / 8.0), None)),
        burst.prop_map(|burst| (Some(32), None, Some(burst))),
    ];
    let extent = prop_oneof![
        (1_u32..50).prop_map(|percent| Extent::Share(format!("{percent}%").parse().unwrap())),
        (1_u64..1000).prop_map(|sectors| Extent::Bytes(Size(sectors * 512))),
    ];
    let target = prop_oneof![
        Just(StreamTarget::File(1)),
        Just(StreamTarget::Files([1, 1])),
        Just(StreamTarget::Named(Place::Log))
    ];
    let rest = (1_u32..100, option::of(extent), option::of(target), option::of(1_u32..100), any::<bool>());
    (stream(), load, rest).prop_map(
        |(stream, (depth, rate, burst), (workers, length, target, fsync, through))| Stream {
            depth,
            rate,
            burst,
            workers,
            length,
            target,
            fsync,
            write_through: through,
            ..stream
        },
    )
}

/// How a cell is conducted beyond one load.
fn rounds() -> impl Strategy<Value = (Option<Matrix>, Option<Steady>, Option<Precondition>)> {
    let matrix = prop::collection::btree_set(1_u64..100, 1..4).prop_map(|sizes| Matrix {
        read: Vec::new(),
        block_size: sizes.into_iter().map(|sectors| Size(sectors * 512)).collect(),
    });
    let precondition = (any::<bool>(), 1_u32..10, option::of(span())).prop_map(|(purge, passes, run_for)| {
        Precondition { purge, passes, block_size: Size(128 << 10), run_for }
    });
    (option::of(matrix), option::of((2_u32..10, 50_u32..100)), option::of(precondition)).prop_map(
        |(matrix, steady, precondition)| {
            let block_size = matrix.as_ref().map(|matrix: &Matrix| matrix.block_size[0]);
            let steady = steady.map(|(window, max_rounds)| Steady {
                track: vec![Track { metric: SteadyMetric::Latency, read: None, block_size }],
                window,
                excursion: Share(0.2),
                slope: Share(0.1),
                max_rounds,
                every: 1,
                stop_after_writes: None,
            });
            (matrix, steady, precondition)
        },
    )
}

fn block() -> impl Strategy<Value = Workload> {
    let engines =
        select(vec![BlockEngine::IoUring, BlockEngine::Psync, BlockEngine::Null, BlockEngine::Modelled]);
    let rates = prop::collection::btree_set(1_u32..1_000_000, 1..5)
        .prop_map(|rates| rates.into_iter().map(|rate| f64::from(rate) / 8.0).collect::<Vec<f64>>());
    let streams = (prop::collection::vec(stream(), 1..4), prop::collection::vec(own_load(), 0..3))
        .prop_map(|(shared, own)| shared.into_iter().chain(own).collect::<Vec<Stream>>());
    let parts = (engines, size(), levels(), option::of(rates), span(), span(), any::<(bool, bool)>());
    (parts, rounds(), streams).prop_map(|(parts, (matrix, steady, precondition), streams)| {
        let (engine, size, depth, rate, ramp_up, measure, (direct, verify)) = parts;
        let depth = if rate.is_some() { Vec::new() } else { depth };
        let moves_bytes = matches!(engine, BlockEngine::IoUring | BlockEngine::Psync);
        let discards = streams.iter().any(|stream| stream.discard.is_some());
        let verify = verify && moves_bytes && !discards && depth.iter().all(|depth| *depth < 2048);
        let paths = if verify { vec!["/dev/disk/by-id/a".to_owned()] } else { Vec::new() };
        Workload::Block(Block {
            name: None,
            engine,
            size: if verify && matrix.is_none() { WHOLE } else { size },
            files: if verify { 1 } else { 2 },
            paths,
            depth,
            rate,
            arrivals: Arrivals::Fixed,
            depth_max: 100,
            workers: 3,
            pin: engine != BlockEngine::Psync,
            ramp_up,
            measure,
            direct,
            verify,
            curve: None,
            matrix,
            find: None,
            precondition,
            steady,
            content: None,
            streams,
        })
    })
}

fn backup() -> impl Strategy<Value = Workload> {
    let users = prop::collection::btree_set(0_u32..1000, 1..4).prop_map(|users| users.into_iter().collect());
    let rate = option::of((32_u64..1 << 30).prop_map(|kib| Size(kib << 10)));
    let parts = (1_u32..100_000, users, 1_u32..=1000, span(), span(), rate, any::<bool>());
    parts.prop_map(|(warehouses, virtual_users, cycles, pause, ramp_up, rate_limit, drill)| {
        Workload::Backup(Backup {
            name: None,
            warehouses,
            virtual_users,
            method: Method::Physical,
            cycles,
            pause,
            target: None,
            compress: false,
            rate_limit,
            ramp_up,
            drill,
        })
    })
}

fn scan() -> impl Strategy<Value = Workload> {
    let shares = prop::collection::btree_set(1_u32..=10_000, 1..5)
        .prop_map(|shares| shares.into_iter().map(|part| format!("{}%", f64::from(part) / 100.0)));
    let parts = (1_000_u32..2_000_000_000, 1_u32..=4000, shares);
    parts.prop_map(|(rows, row_bytes, shares)| {
        let selectivity = shares.map(|share| share.parse().unwrap()).collect();
        Workload::Scan(Scan { name: None, rows, row_bytes, selectivity })
    })
}

fn neighbour() -> impl Strategy<Value = Workload> {
    let arms = select(vec![
        vec![],
        vec![Arm::Together, Arm::WithNeighbour],
        vec![Arm::Mitigated, Arm::Alone, Arm::NeighbourAlone],
    ]);
    let parts =
        (2_u32..=64, 1_u32..100_000, 1_u32..100_000, span(), span(), span(), 1_u32..=64, arms, any::<bool>());
    parts.prop_map(
        |(victims, warehouses, virtual_users, ramp_up, measure, interval, neighbours, arms, taken)| {
            Workload::Neighbour(Neighbour {
                name: None,
                victims,
                warehouses,
                virtual_users,
                ramp_up,
                measure,
                neighbour: NeighbourKind::Backup,
                neighbours,
                interval,
                method: Method::Physical,
                mitigation: Some(Mitigation::RateLimit),
                limit: Some(Size(20 << 20)),
                arms,
                victims_taken_away: taken.then_some(1),
            })
        },
    )
}

fn workloads() -> impl Strategy<Value = Vec<Workload>> {
    prop::collection::vec(
        prop_oneof![tpcc(), sysbench(), durability(), block(), backup(), scan(), neighbour()],
        1..4,
    )
    .prop_map(|mut workloads| {
        for (index, workload) in workloads.iter_mut().enumerate() {
            let name = Some(format!("load {index}"));
            match workload {
                Workload::Tpcc(tpcc) => tpcc.name = name,
                Workload::Sysbench(sysbench) => sysbench.name = name,
                Workload::Durability(durability) => durability.name = name,
                Workload::Block(block) => block.name = name,
                Workload::Backup(backup) => backup.name = name,
                Workload::Scan(scan) => scan.name = name,
                Workload::Neighbour(neighbour) => neighbour.name = name,
                Workload::Fragmentation(fragmentation) => fragmentation.name = name,
            }
        }
        workloads
    })
}

fn design(beds: usize) -> impl Strategy<Value = Design> {
    let effect = || (0.0001_f64..0.9999).prop_map(Share);
    let orders = select(vec![Order::Interleaved, Order::Sequential]);
    let baseline = option::of((0..beds).prop_map(|index| format!("bed-{index}")));
    (baseline, 1_u32..1000, orders, any::<Option<u64>>(), [effect(), effect(), effect(), effect(), effect()])
        .prop_map(|(baseline, repeats, order, seed, [nopm, tps, iops, time, p99])| Design {
            treatment: Vec::new(),
            baseline,
            repeats,
            order,
            seed,
            smallest_effect: SmallestEffect { nopm, tps, iops, time, p99 },
        })
}

fn databases() -> impl Strategy<Value = Database> {
    let engines = select(Engine::ALL);
    let synchronous = select(vec![Synchronous::Full, Synchronous::Normal, Synchronous::Off]);
    let modes = select(vec![Mode::Procedures, Mode::Statements]);
    let cpus = option::of(0.05_f64..4096.0);
    (engines, size(), 1_u32..=64, synchronous, modes, cpus).prop_map(
        |(engine, memory, instances, synchronous, mode, cpus)| {
            let mode = if engine.is_server() { mode } else { Mode::Statements };
            // Only servers have processes that can be limited.
            let cpus = cpus.filter(|_| engine.is_server());
            let memory_limit = cpus.map(|_| Size(memory.0.saturating_add(1 << 30)));
            Database { engine, url: None, memory, cpus, memory_limit, instances, synchronous, mode }
        },
    )
}

fn experiments() -> impl Strategy<Value = Experiment> {
    let words = ("\\PC{0,10}[a-z]\\PC{0,10}", option::of("\\PC{0,20}"), option::of("\\PC{0,20}"));
    let parts = beds().prop_flat_map(|beds| (design(beds.len()), Just(beds)));
    (words, parts, databases(), workloads()).prop_map(
        |((title, question, description), (mut design, bed), mut database, workload)| {
            if workload.iter().any(|workload| matches!(workload, Workload::Neighbour(_))) {
                database.instances = 1; // A neighbour workload has its own number of databases.
            }
            let mut experiment = Experiment {
                schema: 1,
                title,
                question,
                description,
                published: None,
                bed,
                database: Some(database),
                workload,
                design: Design::default(),
            };
            let factors = [Treatment::Log, Treatment::Memory, Treatment::Storage];
            design.treatment = factors.into_iter().filter(|factor| experiment.differs_in(*factor)).collect();
            experiment.design = design;
            experiment
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn an_experiment_comes_back_from_its_file(experiment in experiments()) {
        let text = to_toml(&experiment);
        let parsed = parse(&text, "written.toml").map_err(|faults| TestCaseError::fail(format!("{faults}\n{text}")))?;
        prop_assert_eq!(&parsed, &experiment);
    }
}

#[test]
fn existing_servers_come_back_from_the_file() {
    let text = r#"
        schema = 1
        title = "Two servers that are there already"
        [[bed]]
        name = "near"
        storage = { real = "/var/lib/postgresql" }
        [[bed]]
        name = "far"
        storage = { real = "/var/lib/postgresql" }
        url = "postgres://bench@far/bench"
        [database]
        engine = "postgresql"
        url = "postgresql://bench@near:5433/bench?sslmode=disable"
        memory = "2GiB"
        [[workload]]
        kind = "sysbench"
        test = "oltp_read_only"
        threads = [8]
        ramp_up = "1s"
        measure = "1s"
    "#;
    let parsed = parse(text, "servers.toml").unwrap_or_else(|faults| panic!("{faults}"));
    assert_eq!(parse(&to_toml(&parsed), "again.toml").unwrap(), parsed);
    let urls: Vec<Option<&str>> = parsed.bed.iter().map(|bed| parsed.url_of(bed)).collect();
    let expected = ["postgresql://bench@near:5433/bench?sslmode=disable", "postgres://bench@far/bench"];
    assert_eq!(urls, expected.map(Some));
}

#[test]
fn the_power_is_cut_on_modelled_drives_and_reads_back() {
    let text = r#"
        schema = 1
        title = "Is it still there after a power cut?"
        [[bed]]
        name = "model"
        storage = { emulated = "free" }
        [database]
        memory = "32MiB"
        synchronous = "off"
        [[workload]]
        kind = "durability"
        warehouses = 1
        virtual_users = 4
        load_for = "10s"
        rounds = 3
        crash = "power"
    "#;
    let parsed = parse(text, "power.toml").unwrap_or_else(|faults| panic!("{faults}"));
    let Workload::Durability(durability) = &parsed.workload[0] else { panic!("the kind is durability") };
    assert_eq!((durability.crash, durability.rounds), (Crash::Power, 3));
    let workload = &parsed.workload[0];
    assert_eq!((workload.levels(), workload.level_name().name()), (vec![4.0], "virtual users"));
    assert_eq!((workload.ramp_up().0, workload.measure().0), (Duration::ZERO, Duration::from_secs(10)));
    assert_eq!(parse(&to_toml(&parsed), "again.toml").unwrap(), parsed);
}

/// Every key that was not written was read as the default that the schema has for it.
fn same_defaults(schema: &Value, written: &Value, read: &Value) {
    for (key, property) in schema["properties"].as_object().unwrap() {
        let read = read.get(key).filter(|_| written.get(key).is_none());
        if let Some((default, read)) = property.get("default").zip(read) {
            assert_eq!(default, read, "{key}");
        }
    }
}

#[test]
fn keys_left_out_get_the_defaults_of_the_schema() {
    let text = r#"
        schema = 1
        title = "As little as can be said"
        [[bed]]
        name = "one"
        storage = { emulated = "free" }
        [database]
        memory = "32MiB"
        [[workload]]
        kind = "tpcc"
        warehouses = 1
        virtual_users = [1]
        ramp_up = "1s"
        measure = "1s"
        [[workload]]
        kind = "sysbench"
        test = "oltp_read_write"
        threads = [1]
        ramp_up = "1s"
        measure = "1s"
        [[workload]]
        kind = "durability"
        warehouses = 1
        virtual_users = 1
        load_for = "1s"
        [[workload]]
        kind = "block"
        size = "1GiB"
        depth = [1]
        ramp_up = "1s"
        measure = "1s"
        [[workload.stream]]
        read = "100%"
        block_size = "4KiB"
    "#;
    let parsed = parse(text, "short.toml").unwrap_or_else(|faults| panic!("{faults}"));
    let written: toml::Table = text.parse().unwrap();
    let (schema, written) = (json_schema(), serde_json::to_value(&written).unwrap());
    let read = serde_json::to_value(&parsed).unwrap();
    let of = |name: &str| &schema["$defs"][name];
    same_defaults(&schema, &written, &read);
    same_defaults(of("Database"), &written["database"], &read["database"]);
    same_defaults(of("Design"), &Value::Null, &read["design"]);
    same_defaults(of("SmallestEffect"), &Value::Null, &read["design"]["smallest_effect"]);
    for (written, read) in
        written["workload"].as_array().unwrap().iter().zip(read["workload"].as_array().unwrap())
    {
        let kinds = of("Workload")["oneOf"].as_array().unwrap();
        let kind = kinds.iter().find(|kind| kind["properties"]["kind"]["const"] == read["kind"]).unwrap();
        same_defaults(kind, written, read);
    }
    assert_eq!(parsed.design.repeats, 6);
    let shares = parsed.design.smallest_effect.all().map(|(key, share)| (key, share.0));
    assert_eq!(shares, [("nopm", 0.03), ("tps", 0.03), ("iops", 0.03), ("time", 0.03), ("p99", 0.1)]);
    assert_eq!(parsed.bed[0].storage.path(), PathBuf::from("."));
    let database = parsed.database.as_ref().unwrap();
    assert_eq!((database.engine, database.mode, database.instances), (Engine::Sqlite, Mode::Statements, 1));
    let Workload::Sysbench(sysbench) = &parsed.workload[1] else { panic!("the second is sysbench") };
    assert_eq!((sysbench.tables, sysbench.rows, sysbench.range_size), (1, 10_000, 100));
    assert_eq!(sysbench.distribution, Distribution::Special);
    let repeats: Vec<u32> = parsed.workload.iter().map(|workload| parsed.repeats_of(workload)).collect();
    assert_eq!(repeats, [6, 6, 20, 6]);
}
