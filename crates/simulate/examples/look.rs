//! Temporary look.
use simulate::*;
fn main(){
 let v=Values::calibrated();
 let load=|machines:u32,mem:u64,driver,users:u32,m_s:u64| Load{machines,backup_machines:0,backup_cycles:0,backup_pause_ns:0,vcpus:16,memory_bytes:mem,warehouses:1200,users,driver,window:Window::published(120,m_s).brief(),failure:None};
 for (name,bed,l,pub_) in [
  ("1a","kingston-nvme",load(1,128<<30,Driver::Remote,89,300),1113300.),
  ("1b","kingston-nvme",load(1,32<<30,Driver::Remote,89,300),958338.),
  ("1c","kingston-nvme",load(1,32<<30,Driver::Local,89,300),1463290.),
  ("2b","kingston-sata-dc500m",load(1,32<<30,Driver::Local,89,300),738067.),
  ("2c","kingston-sata",load(1,32<<30,Driver::Local,89,300),628499.),
  ("5a","kingston-nvme",load(12,32<<30,Driver::Local,89,18000),523516.),
  ("5b","kingston-sata",load(9,32<<30,Driver::Local,89,18000),269320.),
 ]{
  let bed=Bed::find(bed,&v).unwrap(); let t=std::time::Instant::now();
  let o=run(&bed,&l,1).unwrap();
  let tot=o.time.total_ns() as f64;
  println!("{name} tpm {:.0} pub {pub_:.0} ratio {:.3} idle {:.1}% r/s {:.0} w/s {:.0} rlat {:.0}us wlat {:.0}us loglat {:.0} | cpu {:.2} q {:.2} rd {:.2} log {:.2} oth {:.2} prec {:.3} {:.1}s in {:?}",o.nopm()*4.6,o.nopm()*4.6/pub_,o.cpu_idle*100.,o.reads_per_s(),o.writes_per_s(),o.reads.mean_ns()/1e3,o.write_latency_ns()/1e3,o.log_writes.mean_ns()/1e3,o.time.cpu_ns as f64/tot,o.time.queue_ns as f64/tot,o.time.read_ns as f64/tot,o.time.log_ns as f64/tot,o.time.other_ns as f64/tot,o.precision,o.measured_s,t.elapsed());
 }
}
