//! Executes WebGPU work with a page in headless Chromium, on its own SwiftShader.

use super::Answer;
use polyshade_tests::chromium::{Browser, LIMIT};
use tiny_http::{Header, Method, Request, Response, Server};

/// The page that executes the work and posts the result.
const PAGE: &str = include_str!("browser.html");

/// Returns the page's result for this work.
#[track_caller]
pub(super) fn answer(work: &str) -> Answer {
    let server = Server::http("127.0.0.1:0").expect("a port is free");
    let address = format!("http://{}/", server.server_addr());
    let _browser = Browser::open(&address);
    loop {
        let request = server.recv_timeout(LIMIT).expect("the port is ours");
        let request = request.expect("the browser answers in time");
        if let Some(answer) = answer_to(request, work) {
            return answer;
        }
    }
}

/// Serves a request from the browser. If the request posts the result, the result is returned.
fn answer_to(mut request: Request, work: &str) -> Option<Answer> {
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
