//! Checks the first guarantee of `polyshade-spv`: unedited parts of a module do not change.

use polyshade_spv::{Module, Progress};

/// Checks that parsing the words and rewriting the module with an empty patch return the same words.
pub fn check(words: &[u32]) -> Result<(), String> {
    let module = Module::parse(words).map_err(|error| format!("does not parse: {error}"))?;
    same("parsing", words, module.words())?;
    let next =
        module.rewrite(|_, _| Ok(())).map_err(|error| format!("an empty patch fails: {error}"))?;
    if next.progress != Progress::Unchanged {
        return Err(format!("an empty patch made progress: {:?}", next.progress));
    }
    same("an empty patch", words, next.module.words())
}

fn same(what: &str, before: &[u32], after: &[u32]) -> Result<(), String> {
    if before == after {
        return Ok(());
    }
    let at = before.iter().zip(after).take_while(|(before, after)| before == after).count();
    Err(format!("{what} changed the words from {at:#x} on"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_found() {
        assert_eq!(same("x", &[1, 2, 3], &[1, 2, 3]), Ok(()));
        assert_eq!(
            same("x", &[1, 2, 3], &[1, 4, 3]),
            Err("x changed the words from 0x1 on".into())
        );
        assert_eq!(same("x", &[1, 2], &[1, 2, 3]), Err("x changed the words from 0x2 on".into()));
    }

    #[test]
    fn only_modules_pass() {
        assert_eq!(check(&[0x0723_0203, 0x0001_0000, 0, 1, 0]), Ok(()));
        assert!(check(&[0x0723_0203, 0x0001_0000, 0, 1]).is_err());
    }
}
