//! Has the browser open the page, and asks what it shows.

use polyshade_tests::chromium::{Browser, LIMIT};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use tiny_http::{Method, Request, Server};

/// What drives the page, from another page around it.
const DRIVER: &str = include_str!("drive.html");

/// What the driver posts.
#[derive(Deserialize)]
struct Answer {
    report: Option<Report>,
    error: Option<String>,
}

/// What the page shows.
#[derive(Deserialize)]
pub(crate) struct Report {
    /// Every example with every lowering.
    pub(crate) cases: Vec<Case>,
    /// One of them, of a module in which a bit is another.
    pub(crate) flipped: Case,
    /// Every example as it begins.
    pub(crate) pictures: Vec<Pictures>,
    /// What is blended over.
    pub(crate) backdrop: Bytes,
    pub(crate) copied: Copied,
    pub(crate) accessible: Accessible,
    pub(crate) faults: BTreeMap<String, Fault>,
    pub(crate) link: Link,
}

/// The shaders of an example, and what a lowering makes of them.
#[derive(Deserialize)]
pub(crate) struct Case {
    pub(crate) example: String,
    pub(crate) lowering: String,
    /// The shaders in WGSL, where they are.
    pub(crate) source: Option<[String; 2]>,
    pub(crate) words: Vec<Vec<u32>>,
    /// The options.
    pub(crate) wanted: String,
    pub(crate) fault: Option<String>,
    pub(crate) after: Option<Vec<Vec<u32>>>,
    /// Both stages before and behind the lowering, in WGSL as far as that has them.
    pub(crate) texts: Option<Vec<Option<String>>>,
}

/// An example, drawn.
#[derive(Deserialize)]
pub(crate) struct Pictures {
    pub(crate) lowering: String,
    pub(crate) fault: Option<String>,
    pub(crate) before: Picture,
    pub(crate) after: Picture,
    /// Pictures of some equations, by their names.
    pub(crate) tiles: BTreeMap<String, Bytes>,
}

/// Pixels, or why there are none.
#[derive(Deserialize)]
pub(crate) struct Picture {
    pub(crate) pixels: Option<Bytes>,
    pub(crate) fault: Option<String>,
}

/// What was captured of a shader that hands on its attributes, and those.
#[derive(Deserialize)]
pub(crate) struct Copied {
    pub(crate) fault: Option<String>,
    pub(crate) captured: Option<Bytes>,
    pub(crate) given: Bytes,
}

/// A fault, as it is shown.
#[derive(Deserialize, Debug)]
pub(crate) struct Fault {
    pub(crate) said: Option<String>,
    #[serde(rename = "in")]
    pub(crate) place: Option<String>,
    pub(crate) goes_on: bool,
}

/// The page as people use it who have a keyboard alone, or do not see it.
#[derive(Deserialize, PartialEq, Debug)]
pub(crate) struct Accessible {
    /// Whether the Tab key moves on from the editor.
    pub(crate) leaves: bool,
    /// Elements without a name.
    pub(crate) unnamed: Vec<String>,
    /// The tabs that are chosen, after the arrow to the right.
    pub(crate) chosen: Vec<String>,
    /// How many tabs the Tab key stops at.
    pub(crate) stops: usize,
    /// Whether a field has the focus after its change.
    pub(crate) keeps_focus: bool,
}

/// A state, and what was found behind its link.
#[derive(Deserialize, Debug)]
pub(crate) struct Link {
    pub(crate) sent: String,
    pub(crate) found: String,
    pub(crate) length: usize,
}

/// Contents of memory, which are base64 in JSON.
#[derive(PartialEq)]
pub(crate) struct Bytes(pub(crate) Vec<u8>);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(text: D) -> Result<Self, D::Error> {
        let text = String::deserialize(text)?;
        Ok(Self(decoded(text.trim_end_matches('=').as_bytes())))
    }
}

/// What base64 without padding stands for: 6 bits a letter.
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

/// Opens the page in a browser.
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

/// Answers the browser, until it has posted its own answer.
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

/// The page as a browser without WebGPU shows it.
fn without_webgpu(folder: &Path) -> Option<Vec<u8>> {
    let page = fs::read_to_string(folder.join("index.html")).ok()?;
    let script =
        "<script>Object.defineProperty(Navigator.prototype, 'gpu', { value: undefined })</script>";
    Some(page.replacen("<head>", &format!("<head>{script}"), 1).into_bytes())
}

/// Responds on a connection that is then closed: one that is kept has a thread of the server's, and the browser opens
/// more of them at once than there may be.
fn respond(request: Request, kind: &str, contents: Option<&[u8]>) {
    let status = if contents.is_some() { "200 OK" } else { "404 Not Found" };
    let contents = contents.unwrap_or_default();
    let length = contents.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    let mut browser = request.into_writer();
    // A page that is left no longer listens.
    let _ = browser.write_all(&[head.as_bytes(), contents].concat()).and_then(|()| browser.flush());
}
