//! Every way to write a host or a path, and what it means.

use super::*;

const ONE_HOST: &[(&str, &str)] = &[
    ("http://127.0.0.1/", "127.0.0.1:80"),
    ("http://127.0.0.1:80/", "127.0.0.1:80"),
    ("http://127.1/", "127.0.0.1:80"),
    ("http://127.0.1/", "127.0.0.1:80"),
    ("http://2130706433/", "127.0.0.1:80"),
    ("http://0x7f000001/", "127.0.0.1:80"),
    ("http://0x7f.1/", "127.0.0.1:80"),
    ("http://0X7F.0.0.1/", "127.0.0.1:80"),
    ("http://0177.0.0.1/", "127.0.0.1:80"),
    ("http://0177.0.0.01/", "127.0.0.1:80"),
    ("http://017700000001/", "127.0.0.1:80"),
    ("http://127.0.0.1./", "127.0.0.1:80"),
    ("http://%31%32%37.0.0.1/", "127.0.0.1:80"),
    ("http://127。0。0。1/", "127.0.0.1:80"),
    ("http://127.0.0.1/", "127.0.0.1:80"),
    ("http:127.0.0.1", "127.0.0.1:80"),
    ("http:/127.0.0.1", "127.0.0.1:80"),
    ("http:\\\\127.0.0.1\\x", "127.0.0.1:80"),
    ("http:///127.0.0.1/", "127.0.0.1:80"),
    (" http://127.0.0.1/ ", "127.0.0.1:80"),
    ("ht\ntp://127.0.\t0.1/", "127.0.0.1:80"),
    ("HTTP://127.0.0.1/", "127.0.0.1:80"),
    ("http://[::ffff:127.0.0.1]/", "127.0.0.1:80"),
    ("http://[::ffff:7f00:1]/", "127.0.0.1:80"),
    ("http://[0:0:0:0:0:ffff:7f00:0001]/", "127.0.0.1:80"),
    ("http://[::1]/", "[::1]:80"),
    ("http://[0:0:0:0:0:0:0:1]/", "[::1]:80"),
    ("http://[0000:0000:0000:0000:0000:0000:0000:0001]:80/", "[::1]:80"),
    ("http://[::0001]/", "[::1]:80"),
    ("https://[::1]:8443/", "[::1]:8443"),
    ("http://localhost/", "localhost:80"),
    ("http://LOCALHOST/", "localhost:80"),
    ("http://localhost./", "localhost:80"),
    ("http://%6cocalhost/", "localhost:80"),
    ("http://LocalHost/", "localhost:80"),
    ("https://localhost", "localhost:443"),
    ("http://0/", "0.0.0.0:80"),
    ("http://0.0.0.0/", "0.0.0.0:80"),
    ("http://[::]/", "[::]:80"),
    ("http://169.254.169.254/latest", "169.254.169.254:80"),
    ("http://0xa9fea9fe/", "169.254.169.254:80"),
    ("http://2852039166/", "169.254.169.254:80"),
    ("http://[::ffff:a9fe:a9fe]/", "169.254.169.254:80"),
    ("http://[64:ff9b::7f00:1]/", "[64:ff9b::7f00:1]:80"),
    ("http://[2002:7f00:1::]/", "[2002:7f00:1::]:80"),
    ("http://[::127.0.0.1]/", "[::7f00:1]:80"),
    ("https://example.com", "example.com:443"),
    ("https://EXAMPLE.com:443/a?b#c", "example.com:443"),
    ("http://example.com:443", "example.com:443"),
    ("https://example.com.:8443", "example.com:8443"),
    ("https://example.com/@127.0.0.1/", "example.com:443"),
    ("https://example.com?@127.0.0.1/", "example.com:443"),
    ("https://example.com#@127.0.0.1/", "example.com:443"),
    ("https://example.com\\@127.0.0.1/", "example.com:443"),
    ("https://127.0.0.1.nip.io/", "127.0.0.1.nip.io:443"),
    ("https://bücher.example/", "xn--bcher-kva.example:443"),
    ("https://xn--bcher-kva.example/", "xn--bcher-kva.example:443"),
    ("https://еxample.com/", "xn--xample-2of.com:443"),
    ("https://example。com/", "example.com:443"),
    ("https://exam\u{ad}ple.com/", "example.com:443"),
    ("https://a.example.com/", "a.example.com:443"),
    ("http://127.0.0.2/", "127.0.0.2:80"),
];

#[test]
fn spellings_of_one_host() {
    for (url, host) in ONE_HOST {
        assert_eq!(host_of(url).as_deref(), Ok(*host), "{url:?}");
    }
}

const NO_HOST: &[&str] = &[
    "",
    " ",
    "example.com",
    "/path",
    "//example.com",
    "ftp://example.com",
    "file:///etc/passwd",
    "javascript:1",
    "data:text/plain,x",
    "ws://example.com",
    "http://",
    "http://:80",
    "http://user@example.com",
    "http://:p@example.com",
    "http://user:p@127.0.0.1",
    "http://example.com@127.0.0.1/",
    "http://127.0.0.1:0/",
    "http://a:99999/",
    "http://a:b/",
    "http://[::1",
    "http://::1/",
    "http://[127.0.0.1]/",
    "http://[fe80::1%25eth0]/",
    "http://a b/",
    "http://a<b/",
    "http://256.0.0.1/",
    "http://1.2.3.4.5/",
    "http://0x100000000/",
    "http://.",
    "http://a%00b/",
    "http://a../",
    "http://a..example/",
    "http://.a/",
    "gopher://x",
];

#[test]
fn urls_that_name_no_usable_host() {
    for url in NO_HOST {
        assert!(host_of(url).is_err(), "{url:?} gave {:?}", host_of(url));
    }
}

const HOST_ENTRIES: &[(&str, &str, &str, bool)] = &[
    ("example.com", "GET", "example.com:443", true),
    ("example.com", "HEAD", "example.com:80", true),
    ("example.com", "POST", "example.com:443", false),
    ("example.com", "GET", "example.com:8080", false),
    ("example.com", "GET", "a.example.com:443", false),
    ("example.com", "GET", "example.com.evil.org:443", false),
    ("EXAMPLE.com.", "GET", "example.com:443", true),
    ("example.com:8080", "GET", "example.com:8080", true),
    ("example.com:8080", "GET", "example.com:80", false),
    ("POST example.com", "POST", "example.com:443", true),
    ("post  example.com", "POST", "example.com:443", true),
    ("POST example.com", "GET", "example.com:443", false),
    ("POST example.com", "PUT", "example.com:443", false),
    ("* example.com", "DELETE", "example.com:443", true),
    ("* example.com", "GET", "example.com:443", true),
    ("*.example.com", "GET", "a.example.com:443", false),
    ("*", "GET", "example.com:443", false),
    ("* *", "GET", "example.com:443", false),
    ("https://example.com", "GET", "example.com:443", false),
    ("example.com/path", "GET", "example.com:443", false),
    ("user@example.com", "GET", "example.com:443", false),
    ("127.0.0.1:8080", "GET", "127.0.0.1:8080", true),
    ("0x7f.1:8080", "GET", "127.0.0.1:8080", false),
    ("127.0.0.1", "GET", "127.0.0.2:80", false),
    ("127.0.0.1", "GET", "localhost:80", false),
    ("localhost", "GET", "127.0.0.1:80", false),
    ("localhost", "GET", "localhost:80", true),
    ("::1", "GET", "[::1]:80", true),
    ("[::1]:9", "GET", "[::1]:9", true),
    ("[::ffff:127.0.0.1]", "GET", "127.0.0.1:80", false),
    ("10.0.0.0/8", "GET", "10.0.0.5:80", false),
    ("example.com:0", "GET", "example.com:0", false),
    ("example.com:+80", "GET", "example.com:80", false),
    ("example.com..", "GET", "example.com:80", false),
    ("", "GET", "example.com:443", false),
    ("GET POST example.com", "GET", "example.com:443", false),
    ("bücher.example", "GET", "xn--bcher-kva.example:443", true),
];

#[test]
fn host_entries() {
    for (entry, method, resource, expected) in HOST_ENTRIES {
        assert_eq!(
            covers(&hosts(entry), &host_need(method, resource), &place()),
            *expected,
            "{entry} for {method} {resource}"
        );
    }
}

/// What stands for an address of this machine, a private network or a metadata server without looking like it.
const DISGUISED: &[&str] = &[
    "127.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0X7F.0.0.1",
    "0177.0.0.1",
    "017700000001",
    "127.0.0.01",
    "127.0.0.1.",
    "127。0。0。1",
    "１２７.0.0.1",
    "0",
    "0xa9fea9fe",
    "2852039166",
    "ｌocalhost",
    "local\u{ad}host",
    "localhost。",
    "::ffff:127.0.0.1",
    "[::ffff:7f00:1]",
    "[::ffff:a9fe:a9fe]",
    "::127.0.0.1",
    "[::ffff:0:127.0.0.1]",
    "64:ff9b::10.0.0.1",
    "64:ff9b:1::a9fe:a9fe",
    "2002:7f00:1::",
    "2001:0:1:2:3:4:80ff:fffe",
    "fe80::5efe:10.0.0.1",
    "ｅxample.com",
];

#[test]
fn entries_in_disguise_grant_nothing_and_say_what_they_are() {
    for host in DISGUISED {
        let entries = [(*host).to_owned(), format!("* {host}"), format!("POST {host}")];
        for entry in entries {
            let problem = entry_problem(Access::Host, &entry, &place()).unwrap_or_default();
            assert!(problem.contains("is another spelling of `"), "{entry}: {problem}");
            assert_eq!(entry_as_compared(Access::Host, &entry), entry);
        }
        let bare_v6 = host.parse::<std::net::Ipv6Addr>().is_ok();
        let url = match bare_v6 {
            true => format!("http://[{host}]/"),
            false => format!("http://{host}/"),
        };
        let known = host_of(&url).unwrap();
        assert!(
            !covers(&hosts(&format!("* {host}")), &host_need("GET", &known), &place()),
            "{host}"
        );
    }
}

#[test]
fn entries_are_shown_as_what_is_compared() {
    for (entry, shown) in [
        ("EXAMPLE.com.", "example.com"),
        ("post  Example.COM:08443", "POST example.com:8443"),
        ("* bücher.example", "* xn--bcher-kva.example"),
        ("еxample.com", "xn--xample-2of.com"),
        ("127.0.0.1:8080", "127.0.0.1:8080"),
        ("::1", "[::1]"),
        ("[0:0:0:0:0:0:0:1]:9", "[::1]:9"),
        ("LOCALHOST.", "localhost"),
        ("1.1.1.1", "1.1.1.1"),
        ("64:ff9b::1.1.1.1", "[64:ff9b::101:101]"),
    ] {
        assert_eq!(entry_as_compared(Access::Host, entry), shown);
        assert_eq!(entry_problem(Access::Host, entry, &place()), None, "{entry}");
    }
    assert_eq!(
        other_name_of_host("bücher.example").as_deref(),
        Some("xn--bcher-kva.example")
    );
    assert_eq!(other_name_of_host("EXAMPLE.com."), None);
}

const PATH_ENTRIES: &[(&str, &str, bool)] = &[
    ("a.csv", "a.csv", true),
    ("a.csv", "./a.csv", true),
    ("a.csv", "x/../a.csv", true),
    ("a.csv", "/plan/a.csv", true),
    ("/plan/a.csv", "a.csv", true),
    ("a.csv", "../plan/a.csv", true),
    ("a.csv", "A.csv", false),
    ("a.csv", "a.csv/b", false),
    ("a.csv", "../a.csv", false),
    ("data", "data", true),
    ("data", "data/a.csv", false),
    ("data/", "data/a.csv", true),
    ("data/", "data/x/y/a.csv", true),
    ("data/", "data", true),
    ("data/", "data2/a.csv", false),
    ("data/", "data/../secret", false),
    ("data/", "data/./../../plan/data/a", true),
    ("data/**", "data/x/y", true),
    ("data/**", "data", true),
    ("data/**", "data2", false),
    ("data/**", "data/../x", false),
    ("data/*.csv", "data/a.csv", true),
    ("data/*.csv", "data/x/a.csv", false),
    ("data/*.csv", "data/a.txt", false),
    ("data/**/*.csv", "data/x/y/a.csv", true),
    ("data/**/*.csv", "data/a.csv", true),
    ("data/?", "data/a", true),
    ("data/?", "data//", false),
    ("data/[!x]a", "data/ya", true),
    ("data[!x]a", "data/a", false),
    ("data[+-0]a", "data/a", false),
    ("data/{a,b}.csv", "data/b.csv", true),
    ("data/*/", "data/x/deep/f", true),
    ("data/*/", "data", false),
    ("*", "a", true),
    ("*", "a/b", false),
    ("**", "a/b", true),
    ("**", "../x", false),
    (".", "a/b", true),
    ("./", "a/b", true),
    ("/", "/etc/hosts", true),
    ("..", "../x/y", true),
    ("../x/", "../x/y", true),
    ("../x/", "a", false),
    ("data/*/../secret", "data/secret", false),
    ("[a].csv", "[a].csv", true),
    ("[a].csv", "a.csv", true),
    ("[a", "[a", true),
    ("[a", "a", false),
    ("", "a", false),
    ("other", "run:/x", true),
    ("other", "run:/x/../y", true),
    ("other", "run:/../x", false),
    ("run:/../..", "run:/../../plan/x", false),
    ("~/x", "/root/x", false),
    ("a\u{0}", "a", false),
    ("/", "run:x", false),
    ("/", "RUN:/x", false),
    ("/", "C:\\ws\\a.txt", false),
    ("/", "c:/ws/a.txt", false),
    ("/", "\\\\server\\share", false),
    ("/", "C:\temp\new", false),
    ("/", "/etc/\u{0}", false),
    ("/", "", false),
];

#[test]
fn path_entries() {
    for (entry, path, expected) in PATH_ENTRIES {
        assert_eq!(is_read_allowed(entry, path), *expected, "{entry:?} for {path:?}");
    }
}
