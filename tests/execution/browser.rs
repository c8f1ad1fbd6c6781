//! Dispatches in WebGPU: by headless Chromium, over its own SwiftShader.

use polyshade_formats::wgsl;
use polyshade_vulkan::{Range, Resource, Work};
use serde::Deserialize;
use serde_json::{Value, json};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tiny_http::{Header, Method, Request, Response, Server};

/// What runs the dispatches, and posts what they leave.
const PAGE: &str = include_str!("browser.html");

/// How long the browser may take, from its start to its answer.
const LIMIT: Duration = Duration::from_secs(240);

/// What the page posts.
#[derive(Deserialize)]
struct Answer {
    /// The words of every buffer, or why there are none.
    #[serde(default)]
    buffers: Vec<Vec<u32>>,
    error: Option<String>,
}

/// The browser, which ends with this.
struct Browser(Child);

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Browser {
    fn start(address: &str, profile: &str) -> Browser {
        let mut command = Command::new("chromium");
        command.args(["--headless=new", "--no-sandbox", "--no-first-run"]);
        command.args(["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"]);
        command.args(["--disable-background-networking", "--disable-component-update"]);
        command.args(["--disable-sync", "--disable-quic", profile, address]);
        // It brings its own driver.
        for name in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_LAYER_PATH", "GLIBC_TUNABLES"] {
            command.env_remove(name);
        }
        let child =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        Browser(child.expect("`cargo xtask setup` installs chromium"))
    }
}

/// Runs all dispatches, one behind the other, and returns what they leave in the buffers. The shaders are handed over
/// in WGSL.
#[track_caller]
pub(crate) fn run(work: &Work<'_>) -> Vec<Vec<u8>> {
    let work = told(work).to_string();
    let server = Server::http("127.0.0.1:0").expect("a port is free");
    let address = format!("http://{}/", server.server_addr());
    let profile = tempfile::tempdir().expect("there is room");
    let profile = format!("--user-data-dir={}", profile.path().display());
    let _browser = Browser::start(&address, &profile);
    loop {
        let request = server.recv_timeout(LIMIT).expect("the port is ours");
        let request = request.expect("the browser answers in time");
        if let Some(answer) = answer(request, &work) {
            let Answer { buffers, error } = answer;
            assert_eq!(error, None, "what the browser says");
            return buffers.iter().map(|words| bytes(words)).collect();
        }
    }
}

/// Answers the browser, until it has posted its own answer.
fn answer(mut request: Request, work: &str) -> Option<Answer> {
    let (text, kind, answer) = match (request.method(), request.url()) {
        (Method::Get, "/") => (PAGE, "text/html", None),
        (Method::Get, "/work") => (work, "application/json", None),
        (Method::Post, "/answer") => {
            let answer = serde_json::from_reader(request.as_reader()).expect("the page posts JSON");
            ("", "text/plain", Some(answer))
        }
        _ => {
            request.respond(Response::empty(404)).expect("the browser listens");
            return None;
        }
    };
    let kind = Header::from_bytes("Content-Type", kind).expect("it is a header");
    request.respond(Response::from_string(text).with_header(kind)).expect("the browser listens");
    answer
}

/// The work, for the page.
fn told(work: &Work<'_>) -> Value {
    let mut modules: Vec<&[u32]> = Vec::new();
    let mut dispatches = Vec::new();
    for draw in &work.draws {
        let [stage] = &draw.stages[..] else { panic!("a dispatch has one stage") };
        let known = modules.iter().position(|one| *one == stage.words);
        let module = known.unwrap_or(modules.len());
        if known.is_none() {
            modules.push(stage.words);
        }
        let bindings = draw.descriptors.iter().map(|one| {
            let (Resource::StorageBuffer(range) | Resource::UniformBuffer(range)) = one.resource else {
                panic!("{:?} is no buffer", one.resource)
            };
            let Range { buffer, offset, size } = range;
            let (group, binding) = (one.set, one.binding);
            json!({ "group": group, "binding": binding, "buffer": buffer, "offset": offset, "size": size })
        });
        let bindings = bindings.collect::<Vec<_>>();
        let groups = draw.dispatch.expect("it is a dispatch");
        dispatches.push(json!({ "module": module, "groups": groups, "bindings": bindings }));
    }
    let modules = modules.into_iter().map(|words| wgsl::write(words).expect("naga takes it"));
    let buffers = work.buffers.iter().map(|bytes| words(bytes));
    json!({
        "modules": modules.collect::<Vec<_>>(),
        "buffers": buffers.collect::<Vec<_>>(),
        "dispatches": dispatches,
    })
}

fn words(bytes: &[u8]) -> Vec<u32> {
    let chunks = bytes.chunks_exact(4);
    assert!(chunks.remainder().is_empty(), "buffers are made of words");
    chunks.map(|word| u32::from_ne_bytes([word[0], word[1], word[2], word[3]])).collect()
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}
