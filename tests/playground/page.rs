//! Opens the playground page in a browser and reads the report about its contents.

use polyshade_tests::chromium::{Browser, LIMIT};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use tiny_http::{Method, Request, Server};

/// A driver page that embeds the playground page and operates it.
const DRIVER: &str = include_str!("drive.html");

/// The message that the driver page posts.
#[derive(Deserialize)]
struct Answer {
    report: Option<Report>,
    error: Option<String>,
}

/// The contents of the playground page.
#[derive(Deserialize)]
pub(crate) struct Report {
    /// The results of every example with every lowering.
    pub(crate) cases: Vec<Case>,
    /// A case whose module had one bit flipped.
    pub(crate) flipped: Case,
    /// The pictures of every example in its initial state.
    pub(crate) pictures: Vec<Pictures>,
    /// The pixels that are the destination of blending.
    pub(crate) backdrop: Bytes,
    pub(crate) copied: Copied,
    pub(crate) accessible: Accessible,
    pub(crate) faults: BTreeMap<String, Fault>,
    pub(crate) link: Link,
}

/// The shaders of an example, and the result of a lowering.
#[derive(Deserialize)]
pub(crate) struct Case {
    pub(crate) example: String,
    pub(crate) lowering: String,
    /// The original shaders in WGSL, if there are any.
    pub(crate) source: Option<[String; 2]>,
    pub(crate) words: Vec<Vec<u32>>,
    /// The options, as the page writes them.
    pub(crate) wanted: String,
    pub(crate) fault: Option<String>,
    pub(crate) after: Option<Vec<Vec<u32>>>,
    /// Both stages before and after the lowering; `None` for a stage that cannot be printed as WGSL.
    pub(crate) texts: Option<Vec<Option<String>>>,
}

/// The pictures of an example.
#[derive(Deserialize)]
pub(crate) struct Pictures {
    pub(crate) lowering: String,
    pub(crate) fault: Option<String>,
    pub(crate) before: Picture,
    pub(crate) after: Picture,
    /// Pictures of some equations, by name.
    pub(crate) tiles: BTreeMap<String, Bytes>,
}

/// Pixels, or the reason why there are none.
#[derive(Deserialize)]
pub(crate) struct Picture {
    pub(crate) pixels: Option<Bytes>,
    pub(crate) fault: Option<String>,
}

/// The captured data of a shader that copies its attributes, and the attributes.
#[derive(Deserialize)]
pub(crate) struct Copied {
    pub(crate) fault: Option<String>,
    pub(crate) captured: Option<Bytes>,
    pub(crate) given: Bytes,
}

/// A fault, as the page shows it.
#[derive(Deserialize, Debug)]
pub(crate) struct Fault {
    pub(crate) message: Option<String>,
    #[serde(rename = "in")]
    pub(crate) place: Option<String>,
    pub(crate) goes_on: bool,
}

/// The accessibility of the page for users of keyboards and screen readers.
#[derive(Deserialize, PartialEq, Debug)]
pub(crate) struct Accessible {
    /// Whether the Tab key leaves the editor.
    pub(crate) leaves: bool,
    /// Elements without an accessible name.
    pub(crate) unnamed: Vec<String>,
    /// The selected tabs after a press of the right arrow key.
    pub(crate) chosen: Vec<String>,
    /// The number of tabs at which the Tab key stops.
    pub(crate) stops: usize,
    /// Whether a field keeps the focus after its change.
    pub(crate) keeps_focus: bool,
}

/// A state, and the state that its link restores.
#[derive(Deserialize, Debug)]
pub(crate) struct Link {
    pub(crate) sent: String,
    pub(crate) found: String,
    pub(crate) length: usize,
}

/// Contents of memory, in base64 in JSON.
#[derive(PartialEq)]
pub(crate) struct Bytes(pub(crate) Vec<u8>);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(text: D) -> Result<Self, D::Error> {
        let text = String::deserialize(text)?;
        Ok(Self(decoded(text.trim_end_matches('=').as_bytes())))
    }
}

/// Decodes base64 without padding: 6 bits for each letter.
fn decoded(text: &[u8]) -> Vec<u8> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut values = [0; 256];
    for (value, letter) in (0..).zip(LETTERS) {
        values[usize::from(*letter)] = value;
    }
    let group = |letters: &[u8]| {
        let bits = letters.iter().fold(0, |bits, letter| bits << 6 | values[usize::from(*letter)]);
        let bits: u32 = bits << (6 * (4 - letters.len()));
        let bytes = bits.to_be_bytes();
        bytes[1..letters.len()].to_vec()
    };
    text.chunks(4).flat_map(group).collect()
}

/// Opens the page in a browser, and returns the driver page's report.
pub(crate) fn report(folder: &Path) -> Report {
    let server = Server::http("127.0.0.1:0").expect("a port is free");
    let _browser = Browser::open(&format!("http://{}/drive.html", server.server_addr()));
    loop {
        let request = server.recv_timeout(LIMIT).expect("the port is ours");
        let request = request.expect("the browser answers in time");
        if let Some(answer) = answer(request, folder) {
            assert_eq!(answer.error, None, "what the browser says");
            return answer.report.expect("it is there unless there is an error");
        }
    }
}

/// Serves a request from the browser. If the request posts the driver page's message, the message is returned.
fn answer(mut request: Request, folder: &Path) -> Option<Answer> {
    let url = request.url().split(['?', '#']).next().unwrap_or_default().to_owned();
    let (contents, answer) = match (request.method(), url.as_str()) {
        (Method::Post, "/answer") => {
            let answer = serde_json::from_reader(request.as_reader()).expect("the page posts JSON");
            (Some(Vec::new()), Some(answer))
        }
        (_, "/drive.html") => (Some(DRIVER.as_bytes().to_vec()), None),
        (_, "/without-webgpu.html") => (without_webgpu(folder), None),
        (_, path) => (fs::read(folder.join(path.trim_start_matches('/'))).ok(), None),
    };
    let kind = match url.rsplit('.').next() {
        Some("js") => "text/javascript",
        Some("wasm") => "application/wasm",
        Some("css") => "text/css",
        _ => "text/html",
    };
    respond(request, kind, contents.as_deref());
    answer
}

/// Returns the page with a script that hides WebGPU.
fn without_webgpu(folder: &Path) -> Option<Vec<u8>> {
    let page = fs::read_to_string(folder.join("index.html")).ok()?;
    let script =
        "<script>Object.defineProperty(Navigator.prototype, 'gpu', { value: undefined })</script>";
    Some(page.replacen("<head>", &format!("<head>{script}"), 1).into_bytes())
}

/// Responds and closes the connection. A kept-alive connection would occupy a server thread, and the browser opens
/// more connections than the server has threads.
fn respond(request: Request, kind: &str, contents: Option<&[u8]>) {
    let status = if contents.is_some() { "200 OK" } else { "404 Not Found" };
    let contents = contents.unwrap_or_default();
    let length = contents.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    let mut browser = request.into_writer();
    // A browser that has left the page may close the connection early.
    let _ = browser.write_all(&[head.as_bytes(), contents].concat()).and_then(|()| browser.flush());
}
