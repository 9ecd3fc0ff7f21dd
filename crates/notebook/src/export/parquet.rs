//! The wide table as Parquet, for data frames and warehouses.

use std::io::Write;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;

use super::wide::{Row, WideTable};
use crate::error::NotebookError;
use crate::open::Notebook;
use crate::records::RunId;

/// The columns of every row, before those of the metrics.
const COLUMNS: [(&str, Column); 10] = [
    ("run", Column::Integer(|table, _| table.run.0)),
    ("cell", Column::Integer(|_, row| i64::from(row.cell.position) + 1)),
    ("bed", Column::Text(|row| &row.cell.bed)),
    ("workload", Column::Text(|row| &row.cell.workload)),
    ("level", Column::Number(|_, row| row.cell.level)),
    ("repeat", Column::Integer(|_, row| i64::from(row.cell.repeat) + 1)),
    ("level_name", Column::Text(|row| &row.cell.level_name)),
    ("state", Column::Text(|row| row.cell.state.name())),
    ("realm", Column::Text(|row| &row.realm)),
    ("scale", Column::Number(|table, _| table.scale)),
];

/// The values of a column that every row has.
#[derive(Clone, Copy)]
enum Column {
    Integer(fn(&WideTable, &Row) -> i64),
    Number(fn(&WideTable, &Row) -> f64),
    Text(fn(&Row) -> &str),
}

impl Notebook {
    /// Writes the measurements of a run as Parquet: the columns of [`Notebook::export_wide_csv`] in one row
    /// group, compressed by Snappy. Texts are UTF-8; a metric that a cell lacks is null.
    ///
    /// # Errors
    /// As [`Notebook::export_csv`].
    pub fn export_parquet(&self, run: RunId, out: &mut dyn Write) -> Result<(), NotebookError> {
        let table = self.wide_table(run)?;
        let bytes = written(&table)
            .map_err(|error| NotebookError::Export { source: std::io::Error::other(error) })?;
        out.write_all(&bytes)?;
        Ok(out.flush()?)
    }
}

/// The whole file: it is small, and its footer comes last.
fn written(table: &WideTable) -> Result<Vec<u8>, ParquetError> {
    let schema = Arc::new(schema(table)?);
    let made_by = format!("drivetrain {}", env!("CARGO_PKG_VERSION"));
    let properties =
        WriterProperties::builder().set_compression(Compression::SNAPPY).set_created_by(made_by).build();
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties))?;
    let mut group = file.next_row_group()?;
    for (_, column) in COLUMNS {
        write(&mut group, table, column)?;
    }
    for index in 0..table.heads().count() {
        write_metric(&mut group, table, index)?;
    }
    group.close()?;
    file.into_inner()
}

fn schema(table: &WideTable) -> Result<Type, ParquetError> {
    let field = |name: &str, physical: Physical, repetition: Repetition, logical: Option<LogicalType>| {
        let field = Type::primitive_type_builder(name, physical).with_repetition(repetition);
        Ok::<_, ParquetError>(Arc::new(field.with_logical_type(logical).build()?))
    };
    let mut fields = Vec::new();
    for (name, column) in COLUMNS {
        let (physical, logical) = match column {
            Column::Integer(_) => (Physical::INT64, None),
            Column::Number(_) => (Physical::DOUBLE, None),
            Column::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        fields.push(field(name, physical, Repetition::REQUIRED, logical)?);
    }
    for head in table.heads() {
        fields.push(field(&head, Physical::DOUBLE, Repetition::OPTIONAL, None)?);
    }
    Type::group_type_builder("run").with_fields(fields).build()
}

/// The group of rows that is being written.
type Group<'a> = SerializedRowGroupWriter<'a, Vec<u8>>;

fn write(group: &mut Group<'_>, table: &WideTable, column: Column) -> Result<(), ParquetError> {
    let Some(mut writer) = group.next_column()? else { return Err(too_few()) };
    match (writer.untyped(), column) {
        (ColumnWriter::Int64ColumnWriter(writer), Column::Integer(of)) => {
            let values: Vec<i64> = table.rows.iter().map(|row| of(table, row)).collect();
            writer.write_batch(&values, None, None)?;
        }
        (ColumnWriter::DoubleColumnWriter(writer), Column::Number(of)) => {
            let values: Vec<f64> = table.rows.iter().map(|row| of(table, row)).collect();
            writer.write_batch(&values, None, None)?;
        }
        (ColumnWriter::ByteArrayColumnWriter(writer), Column::Text(of)) => {
            let values: Vec<ByteArray> = table.rows.iter().map(|row| ByteArray::from(of(row))).collect();
            writer.write_batch(&values, None, None)?;
        }
        _ => return Err(too_few()),
    }
    writer.close()
}

fn write_metric(group: &mut Group<'_>, table: &WideTable, index: usize) -> Result<(), ParquetError> {
    let Some(mut writer) = group.next_column()? else { return Err(too_few()) };
    let ColumnWriter::DoubleColumnWriter(column) = writer.untyped() else { return Err(too_few()) };
    let values: Vec<Option<f64>> =
        table.rows.iter().map(|row| table.values(row).nth(index).flatten()).collect();
    let there: Vec<f64> = values.iter().copied().flatten().collect();
    // 1 for a value, 0 for none.
    let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
    column.write_batch(&there, Some(&levels), None)?;
    writer.close()
}

/// Schema and columns are made from one list, so that this never happens.
fn too_few() -> ParquetError {
    ParquetError::General("the columns are not those of the schema".to_owned())
}
