//! 100,000 generated calls, none of which is allowed outside its entry.

use proptest::prelude::*;

use super::*;

/// A second reading of "folder entry, file entry, `*`", part by part, without any library.
fn oracle(entry: &[&str], is_folder: bool, path: &[&str]) -> bool {
    let entry = flat(entry);
    let path = flat(path);
    let same = |(e, p): (&&str, &&str)| *e == "*" || e == p;
    let is_long_enough = path.len() == entry.len() || (is_folder && path.len() > entry.len());
    is_long_enough && entry.iter().zip(&path).all(same)
}

fn flat<'a>(parts: &[&'a str]) -> Vec<&'a str> {
    let mut flat = vec!["plan"];
    for part in parts {
        match *part {
            "." | "" => {}
            ".." => {
                flat.pop();
            }
            part => flat.push(part),
        }
    }
    flat
}

fn parts(words: &'static [&'static str]) -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(prop::sample::select(words), 1..5)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(70_000))]

    #[test]
    fn no_path_is_allowed_outside_its_entry(
        entry in parts(&["a", "b", "c", "..", "."]),
        is_folder in any::<bool>(),
        path in parts(&["a", "b", "c", "..", ".", ""]),
        is_write in any::<bool>(),
    ) {
        let tail = if is_folder { "/" } else { "" };
        let is_named_folder = is_folder || matches!(entry.last(), Some(&"..") | Some(&"."));
        let grants = reads(&format!("{}{tail}", entry.join("/")));
        let access = if is_write { Access::Write } else { Access::Read };
        let spec = spec(Effect::Write, vec![Touch::one("path", access)], None);
        let Ok(needs) = needs_of(&spec, &json!({"path": format!("./{}", path.join("/"))}), &place()) else {
            return Ok(());
        };
        let place = place();
        let allowed = Allowed { withheld: &[], grants: &grants, frozen: &[], answered: &[], is_effect_allowed: false, place: &place };
        let call = CallFacts { effect: Effect::Write, needs: &needs, labels: Labels::default(), circumstances: Circumstances::default() };
        let expected = !is_write && oracle(&entry, is_named_folder, &path);
        prop_assert_eq!(decide(&allowed, &call) == Verdict::Allow, expected, "{:?} for {:?}", grants, needs);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(28_000))]

    #[test]
    fn no_request_is_allowed_outside_its_entry(
        entry_host in prop::sample::select(vec!["a.example", "b.example", "127.0.0.1", "localhost", "10.0.0.1"]),
        entry_port in prop::option::of(prop::sample::select(vec![80u16, 443, 8080])),
        entry_method in prop::option::of(prop::sample::select(vec!["GET", "POST", "*"])),
        host in prop::sample::select(vec![
            ("a.example", "a.example"), ("A.EXAMPLE.", "a.example"), ("b.example", "b.example"), ("127.1", "127.0.0.1"),
            ("0x7f000001", "127.0.0.1"), ("[::ffff:127.0.0.1]", "127.0.0.1"), ("localhost", "localhost"),
            ("a.example.b.example", "other"), ("10.0.0.1", "10.0.0.1"), ("167772161", "10.0.0.1"), ("10.0.0.2", "other"),
        ]),
        scheme in prop::sample::select(vec![("http", 80u16), ("https", 443)]),
        port in prop::option::of(prop::sample::select(vec![80u16, 443, 8080, 9])),
        method in prop::sample::select(vec!["GET", "HEAD", "POST", "post", "DELETE"]),
        untrusted in any::<bool>(),
    ) {
        let port_text = |p: Option<u16>| p.map(|p| format!(":{p}")).unwrap_or_default();
        let method_text = entry_method.map(|m| format!("{m} ")).unwrap_or_default();
        let grants = hosts(&format!("{method_text}{entry_host}{}", port_text(entry_port)));
        let spec = spec(Effect::WriteExternal, vec![Touch::one("url", Access::Host)], Some("method"));
        let arguments = json!({"url": format!("{}://{}{}/", scheme.0, host.0, port_text(port)), "method": method});
        let needs = needs_of(&spec, &arguments, &place()).expect("the URL is a good one");
        let place = place();
        let allowed = Allowed { withheld: &[], grants: &grants, frozen: &[], answered: &[], is_effect_allowed: false, place: &place };
        let labels = Labels { untrusted, private: false };
        let verdict = decide(&allowed, &CallFacts { effect: spec.effect_of(&arguments), needs: &needs, labels, circumstances: Circumstances::default() });

        let method = method.to_ascii_uppercase();
        let is_reading = method == "GET" || method == "HEAD";
        let is_method = match entry_method { None => is_reading, Some("*") => true, Some(m) => m == method };
        let port = port.unwrap_or(scheme.1);
        let is_port = entry_port.map_or(port == 80 || port == 443, |p| p == port);
        let is_granted = is_method && is_port && host.1 == entry_host;
        // Whatever the method: what is asked tells the receiver something, too.
        prop_assert_eq!(verdict == Verdict::Allow, is_granted && !untrusted, "{:?} for {:?}", grants, needs);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn patterns_stay_inside_their_folder(
        entry in parts(&["a", "b", "*"]),
        is_folder in any::<bool>(),
        path in parts(&["a", "b", "c", "..", "."]),
    ) {
        let tail = if is_folder { "/" } else { "" };
        let given = format!("{}{tail}", entry.join("/"));
        prop_assert_eq!(is_read_allowed(&given, &path.join("/")), oracle(&entry, is_folder, &path));
    }

    #[test]
    fn nothing_makes_the_gate_panic(entry in ".{0,40}", path in ".{0,40}", method in ".{0,8}") {
        let place = place();
        let both = Grants { read: vec![entry.clone()], hosts: vec![entry.clone()], ..Grants::default() };
        for access in [Access::Read, Access::Host, Access::Command] {
            let raw = Need { access, resource: path.clone(), method: Some(method.clone()) };
            let _ = covers(&both, &raw, &place);
            let _ = entry_problem(access, &entry, &place);
        }
        if let Ok(resource) = resource_of_path(&path, &place) {
            prop_assert!(paths::is_normal(&resource), "{resource:?}");
        }
        let _ = host_of(&format!("http://{path}/"));
    }
}

/// An IPv4 address in one of the notations that the net's libraries take.
fn spelt(address: std::net::Ipv4Addr, bases: [u8; 4], count: usize, tail: &str) -> String {
    let [a, b, c, d] = address.octets().map(u64::from);
    let parts = match count {
        1 => vec![u64::from(u32::from(address))],
        2 => vec![a, b << 16 | c << 8 | d],
        3 => vec![a, b, c << 8 | d],
        _ => vec![a, b, c, d],
    };
    let digits = parts.iter().zip(bases).map(|(part, base)| match base {
        0 => part.to_string(),
        1 => format!("{part:#x}"),
        2 => format!("0{part:o}"),
        _ => format!("0X{part:08X}"),
    });
    digits.collect::<Vec<_>>().join(".") + tail
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    /// What an entry grants is what it shows: an address in its usual notation, or nothing.
    #[test]
    fn an_address_is_granted_only_where_it_is_written_as_such(
        address in prop_oneof![
            any::<u32>().prop_map(std::net::Ipv4Addr::from),
            prop::sample::select(&["127.0.0.1", "10.0.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0"][..])
                .prop_map(|text| text.parse().unwrap()),
        ],
        bases in any::<[u8; 4]>().prop_map(|bases| bases.map(|base| base % 4)),
        count in 1usize..=4,
        tail in prop::sample::select(&["", "."][..]),
        v6 in prop::option::of(prop::sample::select(&["::", "::ffff:", "::ffff:0:", "64:ff9b::"][..])),
        method in prop::sample::select(&["", "* ", "POST "][..]),
        port in prop::sample::select(&["", ":80"][..]),
    ) {
        let host = match v6 {
            Some(before) => format!("[{before}{address}]"),
            None => spelt(address, bases, count, tail),
        };
        let entry = format!("{method}{host}{port}");
        let known = host_of(&format!("http://{host}/")).unwrap();
        let resource = format!("{address}:80");
        let is_plain = host == address.to_string();
        let need = host_need(if method == "POST " { "POST" } else { "GET" }, &resource);
        let grants = hosts(&entry);
        prop_assert_eq!(covers(&grants, &need, &place()), is_plain, "{}", entry);
        prop_assert_eq!(entry_problem(Access::Host, &entry, &place()).is_none(),
            is_plain || known.starts_with("[64:ff9b:") && is_public(address.into()) || matches!(&*known, "[::]:80" | "[::1]:80"), "{}", entry);
        let shown = entry_as_compared(Access::Host, &entry);
        prop_assert_eq!(covers(&hosts(&shown), &need, &place()), is_plain, "{}", shown);
        prop_assert!(!is_plain || shown.contains(&address.to_string()));
        // The gate, asked as in a run.
        let place = place();
        let allowed = Allowed { withheld: &[], grants: &grants, frozen: &[], answered: &[], is_effect_allowed: false, place: &place };
        let needs = [need];
        let call = CallFacts { effect: Effect::WriteExternal, needs: &needs, labels: Labels::default(), circumstances: Circumstances::default() };
        prop_assert_eq!(decide(&allowed, &call) == Verdict::Allow, is_plain);
    }
}
