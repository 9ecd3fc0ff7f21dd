//! Servers under somebody else's load: observed by the built binary, and predicted on another drive.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use database::{Backing, Instance as _, InstanceSpec, Server};
use device::DriveSpec;
use emulate::EmulatedDrive;
use serde_json::Value;

use crate::common::{self, Ran, Scratch, watched};

const GUIDE: &str = include_str!("../../../../docs/guide/observe.md");

type Provision = fn(InstanceSpec) -> Result<Server, database::DatabaseError>;

/// A server that drivetrain's commands do not know, with the folder that goes away after it.
struct Foreign {
    server: Server,
    _home: tempfile::TempDir,
}

impl Foreign {
    fn start(provision: Provision, drive: Option<&DriveSpec>) -> Foreign {
        let home = tempfile::Builder::new().prefix("drivetrain-test-").tempdir_in("/tmp").unwrap();
        let emulated = |spec| Backing::Emulated(EmulatedDrive::new("a drive", spec, 7));
        let backing = drive.map_or(Backing::Real, emulated);
        let spec = InstanceSpec {
            dir: home.path().to_owned(),
            data: backing.clone(),
            log: backing,
            log_dir: None,
            memory_bytes: 64 << 20,
            synchronous: database::Synchronous::Full,
            page_cache: false,
        };
        let mut server = provision(spec).unwrap();
        server.start().unwrap();
        Foreign { server, _home: home }
    }

    fn url(&self, scheme: &str) -> String {
        let endpoint = self.server.endpoint();
        format!("{scheme}://{}@127.0.0.1:{}/{}", endpoint.user, endpoint.port, endpoint.database)
    }

    fn password(&self) -> String {
        self.server.endpoint().password.as_ref().unwrap().reveal().to_owned()
    }

    /// pgbench against it.
    fn pgbench(&self, arguments: &[&str]) -> Command {
        let endpoint = self.server.endpoint();
        let mut command = Command::new(testkit::need::program("pgbench").unwrap());
        command.args(["-h", "127.0.0.1", "-p", &endpoint.port.to_string(), "-U", &endpoint.user]);
        command.args(arguments).arg(&endpoint.database).env("PGPASSWORD", self.password());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// drivetrain with the password in its environment.
    fn run(&self, scratch: &Scratch, arguments: &[&str]) -> Ran {
        let mut command = scratch.command(arguments);
        command.env("PGPASSWORD", self.password()).env("MYSQL_PWD", self.password());
        Ran::from(command.output().unwrap())
    }
}

fn succeeded(mut command: Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn metric(document: &Value, name: &str) -> f64 {
    document["metrics"][name]["value"].as_f64().unwrap_or_else(|| panic!("no {name}: {document:#}"))
}

/// A load that ends with the test.
struct Load(Child);

impl Drop for Load {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn refusals(foreign: &Foreign, scratch: &Scratch) {
    let url = foreign.url("postgresql");
    let with_password = url.replace('@', ":sesame@");
    for (address, code, told) in [
        (with_password.as_str(), 2, "PGPASSWORD"),
        ("postgresql://me@127.0.0.1:1/d", 1, "cannot reach PostgreSQL at 127.0.0.1:1"),
        ("sqlite://x", 2, "postgresql://"),
        ("postgresql://127.0.0.1/d", 2, "no user"),
    ] {
        let refused = foreign.run(scratch, &["observe", "--url", address, "--for", "1s"]).expect(code);
        assert!(refused.stderr.contains(told) && !refused.stderr.contains("sesame"), "{}", refused.stderr);
    }
    let idle = foreign.run(scratch, &["observe", "--url", &url, "--for", "1s"]).expect(1);
    assert!(idle.stderr.contains("says too little"), "{}", idle.stderr);
    let script = scratch.write("role.sql", "create role plain login password 'plain';\n");
    succeeded(foreign.pgbench(&["-n", "-t", "1", "-f", script.to_str().unwrap()]));
    let user = format!("//{}@", foreign.server.endpoint().user);
    let mut plain = scratch.command(&["observe", "--url", &url.replace(&user, "//plain@"), "--for", "1s"]);
    let refused = Ran::from(plain.env("PGPASSWORD", "plain").output().unwrap()).expect(1);
    assert!(refused.stderr.contains("GRANT pg_monitor TO"), "{}", refused.stderr);
    assert!(!scratch.path().join("drivetrain.db").exists(), "nothing was observed");
}

#[test]
fn postgresql_is_observed_until_ctrl_c_and_predicted() {
    let Some(()) = common::engine("postgresql") else { return };
    let Some(_) = testkit::need::program("pgbench") else { return };
    let (foreign, scratch) = (Foreign::start(database::postgresql::provision, None), Scratch::new());
    succeeded(foreign.pgbench(&["-i", "-q", "-s", "1"]));
    refusals(&foreign, &scratch);

    let _load = Load(foreign.pgbench(&["-n", "-c", "2", "-T", "60"]).spawn().unwrap());
    let url = foreign.url("postgresql");
    let mut command =
        scratch.command(&["observe", "--url", &url, "--for", "10min", "--name", "shop", "--json"]);
    command.env("PGPASSWORD", foreign.password()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let observing = command.spawn().unwrap();
    std::thread::sleep(Duration::from_millis(3500));
    watched::interrupt(observing.id());
    let seen = Ran::from(observing.wait_with_output().unwrap()).expect(130).json();
    assert!(metric(&seen, "tps") > 1.0 && metric(&seen, "cpu_per_transaction") > 0.0, "{seen:#}");
    let clients = seen["clients"].as_f64().unwrap();
    assert!((0.5..=2.0).contains(&clients) && metric(&seen, "active_clients") <= clients, "{seen:#}");
    assert!(metric(&seen, "log_bytes_per_transaction") > 100.0, "{seen:#}");
    assert!(metric(&seen, "writing_share") > 20.0, "{seen:#}");
    assert_eq!(seen["facts"]["database.engine"], "postgresql");
    assert!(seen["notes"].to_string().contains("Ended on request"), "{seen:#}");
    let notebook = std::fs::read(scratch.path().join("drivetrain.db")).unwrap();
    let password = foreign.password();
    assert!(!notebook.windows(password.len()).any(|bytes| bytes == password.as_bytes()));

    let listed = scratch.run(&["ls", "--engine", "postgresql", "--json"]).expect(0).json();
    assert_eq!((&listed[0]["realm"], &listed[0]["label"]), (&"imported".into(), &"shop".into()));
    assert!(scratch.run(&["show", "shop"]).expect(0).stdout.contains("observed on PostgreSQL"));
    let full = scratch.run(&["show", "shop", "--full"]).expect(0).stdout;
    let rows = ["Log bytes per transaction", "Log flushes per transaction", "CPU per transaction"];
    assert!(rows.iter().all(|row| full.contains(row)) && !full.contains("()"), "{full}");
    scratch.run(&["report", "shop"]).expect(0);
    predictions(&scratch);
}

fn predictions(scratch: &Scratch) {
    for (arguments, told) in [
        (&["predict", "shop"][..], "--to"),
        (&["predict", "shop", "--to", "micron-5200-eco-1920g"], "--from"),
        (&["predict", "shop", "--to", "no-such-drive", "--from", "dc1500m"], "no drive `no-such-drive`"),
        (&["predict", "shop", "--to", "dc1500m", "--bed", "x"], "no beds"),
    ] {
        let refused = scratch.run(arguments).expect(2);
        assert!(refused.stderr.contains(told), "{}", refused.stderr);
    }
    let between = ["predict", "shop", "--from", "dc1500m", "--to", "toshiba-dt01aca200"];
    let found = scratch.run(&[&between[..], &["--json"]].concat()).expect(0).json();
    let tps = |name: &str| found["tps"][name].as_f64().unwrap();
    assert!(tps("low") <= tps("value") && tps("value") <= tps("high"), "{found:#}");
    assert!(found["latency_mean_ms"]["value"].as_f64().unwrap() > 0.0, "{found:#}");
    assert!(found["cautions"].to_string().contains("flush.cost"), "no load measured it: {found:#}");
    let itself = ["predict", "shop", "--from", "dc1500m", "--to", "dc1500m", "--json"];
    let itself = scratch.run(&itself).expect(0).json();
    let ratio = itself["tps"]["value"].as_f64().unwrap() / itself["tps"]["observed"].as_f64().unwrap();
    assert!((ratio - 1.0).abs() < 0.002, "{itself:#}");
    let text = scratch.run(&between).expect(0).stdout;
    assert!(text.contains("transactions/s") && text.contains("predicted"), "{text}");
}

#[test]
fn mariadb_is_observed_as_the_guide_shows() {
    let Some(()) = common::engine("mariadb") else { return };
    let Some(sysbench) = testkit::need::program("sysbench") else { return };
    let (foreign, scratch) = (Foreign::start(database::mariadb::provision, None), Scratch::new());
    let (endpoint, password) = (foreign.server.endpoint().clone(), foreign.password());
    let sysbench = |more: &[&str]| {
        let mut command = Command::new(&sysbench);
        command.args(["oltp_read_write", "--db-driver=mysql", "--mysql-host=127.0.0.1", "--table-size=500"]);
        command.arg(format!("--mysql-port={}", endpoint.port)).arg(format!("--mysql-user={}", endpoint.user));
        command.arg(format!("--mysql-password={password}")).arg(format!("--mysql-db={}", endpoint.database));
        command.args(more).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    };
    succeeded(sysbench(&["prepare"]));
    let _load = Load(sysbench(&["--threads=2", "--time=60", "run"]).spawn().unwrap());
    let block = GUIDE.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let mut shown = 0;
    for line in block.lines().filter(|line| line.starts_with("drivetrain ")) {
        let line = line.replace("postgresql://monitor@localhost/orders", &foreign.url("mysql"));
        let line = line.replace("10min", "8s").replace("my-nvme.toml", "kingston-dc1500m-960g");
        let words: Vec<&str> = line.split_whitespace().skip(1).take_while(|word| *word != "#").collect();
        let told = foreign.run(&scratch, &words).expect(0).stdout;
        assert!(told.contains("MariaDB") && told.lines().count() <= 26, "{told}");
        shown += 1;
    }
    assert_eq!(shown, 2, "observe and predict");
    let seen = scratch.run(&["show", "--json"]).expect(0).json();
    let value = |name: &str| seen["cells"][0]["metrics"][name]["value"].as_f64().unwrap();
    assert!(value("tps") > 1.0 && value("writing_share") > 20.0, "{seen:#}");
    assert!(value("log_bytes_per_transaction") > 100.0, "{seen:#}");
}

/// A SATA drive without power-loss protection.
const SLOW: &str = include_str!("../../../../catalogue/drives/micron-5200-eco-1920g.toml");

/// The circle: observed on one mounted drive, predicted for a slower one, and the same load there. Its
/// flushes take so long that the machine's other work hardly matters. Two servers are made and loaded, which
/// takes most of the time.
#[test]
fn the_same_load_on_a_slower_drive_does_what_was_predicted() {
    let Some(()) = common::engine("postgresql") else { return };
    let Some(_) = testkit::need::program("pgbench") else { return };
    let slow = SLOW.replace("name = \"micron-5200-eco-1920g\"", "name = \"slow\"");
    let slow = slow.replace("cost_us = { value = 0,", "cost_us = { value = 8000,");
    let slow =
        slow.replace("power_loss_protection = { value = true,", "power_loss_protection = { value = false,");
    let scratch = Scratch::with("slow.toml", &slow);
    let to = device::catalogue::parse(&slow, "slow.toml").unwrap();
    let from = device::catalogue::find("micron-5200-eco-1920g").unwrap();
    let begun = |drive: &DriveSpec| {
        let foreign = Foreign::start(database::postgresql::provision, Some(drive));
        succeeded(foreign.pgbench(&["-i", "-q", "-s", "1"]));
        foreign
    };
    let fast = begun(&from.spec);
    let load = Load(fast.pgbench(&["-n", "-c", "1", "-T", "60"]).spawn().unwrap());
    let url = fast.url("postgresql");
    fast.run(&scratch, &["observe", "--url", &url, "--for", "3s", "--drive", &from.name]).expect(0);
    drop((load, fast));
    let found = scratch.run(&["predict", "--to", "slow.toml", "--json"]).expect(0).json();
    let slow = begun(&to.spec);
    let told = succeeded(slow.pgbench(&["-n", "-c", "1", "-T", "3"]));
    let tps = |line: &str| line.strip_prefix("tps = ")?.split(' ').next()?.parse::<f64>().ok();
    let measured = told.lines().find_map(tps).unwrap();
    let predicted = found["tps"]["value"].as_f64().unwrap();
    assert!(found["tps"]["observed"].as_f64().unwrap() > predicted, "{found:#}");
    assert!((0.5..2.0).contains(&(predicted / measured)), "{predicted} predicted, {measured} measured");
}
