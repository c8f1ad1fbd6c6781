//! Finds the links in documents, and the headings to which links may lead.

/// Returns the targets of `[…](target)` outside of code, each split at `#`.
pub(crate) fn links(text: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
    prose(text).flat_map(|line| line.split("](").skip(1)).filter_map(|rest| {
        let target = &rest[..rest.find([')', ' '])?];
        Some(match target.split_once('#') {
            Some((file, part)) => (file, Some(part)),
            None => (target, None),
        })
    })
}

/// Returns the lines that are outside of code blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        in_code ^= fence;
        !in_code && !fence
    })
}

/// Returns the anchors of a document's headings, as GitHub and mdBook form them. Repeated anchors get a number.
pub(crate) fn parts(text: &str) -> Vec<String> {
    let headings = prose(text).filter_map(|line| {
        let heading = line.trim_start_matches('#');
        (heading.len() < line.len() && heading.starts_with(' ')).then(|| part(heading.trim()))
    });
    let headings: Vec<String> = headings.collect();
    let numbered = headings.iter().enumerate().map(|(at, heading)| {
        match headings[..at].iter().filter(|before| *before == heading).count() {
            0 => heading.clone(),
            count => format!("{heading}-{count}"),
        }
    });
    numbered.collect()
}

/// Converts a heading to lower case, replaces blanks with hyphens, and removes punctuation.
fn part(heading: &str) -> String {
    let kept = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    let kept = heading.chars().filter(|c| kept(*c)).flat_map(char::to_lowercase);
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Returns the path to which a link in the document `page` leads, relative to the workspace.
pub(crate) fn resolve(page: &str, link: &str) -> String {
    let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_outside_of_code() {
        let text = "[1](a.md#b) and [2](c)\n```\n[3](d)\n```\n![4](e.png \"f\")\n";
        let found: Vec<_> = links(text).collect();
        assert_eq!(found, [("a.md", Some("b")), ("c", None), ("e.png", None)]);
    }

    #[test]
    fn headings_are_parts() {
        let text = "# Wrong in lavapipe 22.3.6\n## What `it` does\n#no\n```\n# no\n```\n\
                    ### The plan\n# The plan\n";
        let names = ["wrong-in-lavapipe-2236", "what-it-does", "the-plan", "the-plan-1"];
        assert_eq!(parts(text), names);
    }

    #[test]
    fn links_are_relative_to_their_page() {
        assert_eq!(resolve("docs/adr/1.md", "../../README.md"), "README.md");
        assert_eq!(resolve("README.md", "docs/./adr"), "docs/adr");
    }
}
