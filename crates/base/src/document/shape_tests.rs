use super::*;
use serde::Deserialize;

/// One of every kind that configurations have.
#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct Whole {
    /// Blocks.
    #[schemars(range(min = 1, max = 8))]
    blocks: u8,
    #[serde(deserialize_with = "crate::units::bytes")]
    #[schemars(with = "crate::units::Bytes", range(max = 4096))]
    bytes: u64,
    share: f64,
    choice: Choice,
    pair: Option<(f64, u64)>,
    list: Vec<Part>,
    #[serde(flatten)]
    shared: Shared,
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Part {
    /// Its name.
    name: String,
    #[serde(default)]
    open: bool,
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct Shared {
    planes: u32,
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Choice {
    #[default]
    Greedy,
    Best {
        #[schemars(range(min = 1, max = 64))]
        of: u32,
    },
}

impl Default for Whole {
    fn default() -> Self {
        let (choice, pair, list, shared) = Default::default();
        Self { blocks: 4, bytes: 512, share: 0.5, choice, pair, list, shared }
    }
}

fn fault_texts(text: &str) -> Vec<String> {
    let tree = Value::Table(toml::from_str(text).unwrap());
    let faults = faults(schema_of::<Whole>(), &tree, &Key::default());
    assert_eq!(faults.is_empty(), tree.try_into::<Whole>().is_ok() && !text.contains("# serde"), "{text}");
    faults.iter().map(ToString::to_string).collect()
}

#[test]
fn what_fits_is_read_and_has_no_fault() {
    let text = "blocks = 8\nbytes = \"4 KiB\"\nshare = 1\nchoice = \"greedy\"\npair = [0.5, 3]\nplanes = 2\n\
                list = [{ name = \"a\" }, { name = \"b\", open = true }]";
    assert_eq!(fault_texts(text), [""; 0]);
    assert_eq!(fault_texts("choice = { best = { of = 3 } }"), [""; 0]);
    assert_eq!(faults_of(&Whole::default()), []);
    assert_eq!(faults_of(&Whole { blocks: 9, ..Whole::default() }).len(), 1);
}

#[test]
fn every_fault_is_told_with_key_value_and_what_is_allowed() {
    // What serde alone would take is marked.
    for (text, wanted) in [
        ("blocks = \"x\"", "blocks = \"x\": must be a whole number between 1 and 8 (Blocks)"),
        ("blocks = 1.5", "blocks = 1.5: must be a whole number between 1 and 8 (Blocks)"),
        ("blocks = 9 # serde", "blocks = 9: must be between 1 and 8"),
        ("bytes = 8192 # serde", "bytes = 8192: must be between 0 and 4096"),
        ("bytes = \"8KiB\" # serde", "bytes = \"8KiB\": must be between 0 and 4096"),
        ("bytes = \"4 parsecs\"", "bytes = \"4 parsecs\": must be a size"),
        ("bytes = -1", "bytes = -1: must be between 0 and 4096"),
        ("share = true", "share = true: must be a number"),
        ("choice = \"fifo\"", "choice = \"fifo\": must be one of greedy, best"),
        ("choice = { fifo = 1 }", "choice = { fifo = 1 }: must be one of greedy, best"),
        ("choice = { best = { of = 65 } } # serde", "choice.best.of = 65: must be between 1 and 64"),
        ("choice = { best = {} }", "choice.best.of: missing; must be a whole number between 1 and 64"),
        ("pair = [0.5]", "pair = [0.5]: must be a list of 2"),
        ("pair = [0.5, true]", "pair[1] = true: must be a whole number, 0 or more"),
        ("list = 3", "list = 3: must be a list"),
        ("list = [{ open = 1, name = \"a\" }]", "list[0].open = 1: must be true or false"),
        ("list = [{}]", "list[0].name: missing; must be a text in quotes (Its name)"),
        ("planes = []", "planes = []: must be a whole number between 0 and 4294967295"),
        (
            "plane = 2 # serde",
            "plane = 2: unknown key; did you mean planes? Keys allowed here: blocks, bytes",
        ),
    ] {
        let found = fault_texts(text);
        assert!(found.len() == 1 && found[0].starts_with(wanted), "{text}: {found:?}");
    }
    assert_eq!(fault_texts("blocks = 0 # serde\nshare = \"x\"\nlist = [{}]\nx = 1").len(), 4);
}

#[test]
fn what_is_mended_takes_the_value_below_or_none() {
    let mut tree: Table = toml::from_str("blocks = 9\nshare = \"x\"\nplanes = 3").unwrap();
    let found = faults(schema_of::<Whole>(), &Value::Table(tree.clone()), &Key::default());
    mend(&mut tree, &found, |key| (key.to_string() == "blocks").then(|| 7.into()));
    let shared = Shared { planes: 3 };
    assert_eq!(tree.try_into(), Ok(Whole { blocks: 7, shared, ..Whole::default() }));
}
