//! The part of HTTP that WebDriver needs: one request, one JSON document as its answer.

use std::io::{BufRead, BufReader, Error, ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

/// The driver's own limits are shorter.
const READ_LIMIT: Duration = Duration::from_secs(120);

/// Asks a server of this machine.
pub(super) fn ask(port: u16, method: &str, path: &str, data: Option<&Value>) -> std::io::Result<Value> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(READ_LIMIT))?;
    let data = data.map(Value::to_string).unwrap_or_default();
    let length_bytes = data.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\nConnection: close\r\n\
         Content-Length: {length_bytes}\r\n\r\n"
    );
    stream.write_all((head + &data).as_bytes())?;
    document(BufReader::new(stream))
}

/// The document of an answer, which states its length or ends with the connection.
fn document(mut answer: impl BufRead) -> std::io::Result<Value> {
    let mut length_bytes = None;
    loop {
        let mut line = String::new();
        if answer.read_line(&mut line)? == 0 {
            return Err(Error::new(ErrorKind::UnexpectedEof, "the answer ends before its document"));
        }
        if line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length_bytes = value.trim().parse().ok();
        }
    }
    let mut text = Vec::new();
    answer.take(length_bytes.unwrap_or(u64::MAX)).read_to_end(&mut text)?;
    serde_json::from_slice(&text).map_err(|error| Error::new(ErrorKind::InvalidData, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_is_as_long_as_it_says() {
        let read = |text: &str| document(text.as_bytes()).map(|document| document["value"].clone());
        let stated = "HTTP/1.1 200 OK\r\nCONTENT-LENGTH: 11\r\n\r\n{\"value\":7}and what follows";
        assert_eq!(read(stated).unwrap(), 7);
        assert_eq!(read("HTTP/1.1 200 OK\r\n\r\n{\"value\":8}").unwrap(), 8);
        for cut in ["", "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n", "HTTP/1.1 200 OK\r\n\r\n{\"val"] {
            assert!(read(cut).is_err(), "{cut:?}");
        }
    }
}
