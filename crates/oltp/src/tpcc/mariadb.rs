//! Order entry on MariaDB and MySQL: one file per transaction, the statements' text in `sql`, the tables in
//! `schema`, the server's procedures in `procedures.sql`.

mod codec;
mod customer;
mod delivery;
mod failure;
mod load;
mod new_order;
mod order_status;
mod payment;
mod procedures;
mod schema;
mod session;
mod sql;
mod statements;
mod stock_level;
mod text;
