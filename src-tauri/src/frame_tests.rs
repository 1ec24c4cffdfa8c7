//! The frame's rules against the states that people met (case desktop-01), and against restarts.

use super::*;

fn read_monitors(case: &Json) -> Vec<Monitor> {
    let area = |json: &Json| {
        let number = |key: &str| json[key].as_f64().expect("a number");
        Area {
            x: number("x"),
            y: number("y"),
            w: number("w"),
            h: number("h"),
        }
    };
    let monitor = |json: &Json| {
        let whole = area(json);
        let work = json.get("work").map_or(whole, area);
        let is_primary = (whole.x, whole.y) == (0.0, 0.0);
        Monitor {
            work,
            scale: json["scale"].as_f64().expect("a scale"),
            is_primary,
        }
    };
    case["monitors"]
        .as_array()
        .expect("monitors")
        .iter()
        .map(monitor)
        .collect()
}

fn case(name: &str) -> (Frame, Vec<Monitor>) {
    let text = include_str!("../tests/cases/desktop-01-states.json");
    let cases: Vec<Json> = serde_json::from_str(text).expect("the case file is JSON");
    let case = cases
        .into_iter()
        .find(|c| c["name"] == name)
        .expect("the case exists");
    let monitors = read_monitors(&case);
    (restore(Saved::read(&case["saved"]), &monitors), monitors)
}

fn size(w: f64, h: f64) -> Size {
    Size { w, h }
}

#[test]
fn a_monitor_that_is_gone_gives_way_to_the_primary_one() {
    let (frame, _) = case("monitor-gone");
    assert_eq!(
        (frame.position, frame.size),
        (Some((720, 200)), size(1200.0, 800.0))
    );
}

#[test]
fn a_negative_place_is_a_place() {
    let (frame, _) = case("negative-left");
    assert_eq!(
        (frame.position, frame.size),
        (Some((-1500, 100)), size(1000.0, 700.0))
    );
}

#[test]
fn sizes_are_logical_on_every_scale() {
    assert_eq!(case("2x-to-1x").0.size, size(1200.0, 800.0));
    assert_eq!(case("fractional").0.size, size(1200.0, 720.0));
}

#[test]
fn too_big_is_made_to_fit_the_work_area() {
    let (frame, _) = case("too-big");
    assert_eq!((frame.position, frame.size), (Some((0, 0)), size(1366.0, 728.0)));
}

#[test]
fn minimised_and_garbage_states_give_the_default_frame() {
    let default = Frame {
        position: None,
        size: DEFAULT_SIZE,
        is_maximised: false,
    };
    assert_eq!(case("minimised-windows").0, default);
    assert_eq!(case("garbage").0, default);
    for garbage in [
        "null",
        "[]",
        "7",
        "{}",
        r#"{"x":1e400,"y":0,"w":800,"h":600}"#,
        r#"{"x":1e12,"y":0,"w":800,"h":600}"#,
    ] {
        let stored: Json = serde_json::from_str(garbage).expect("JSON");
        assert_eq!(Saved::read(&stored), None, "{garbage}");
    }
}

#[test]
fn a_title_bar_above_the_screen_is_moved_down() {
    assert_eq!(case("title-above").0.position, Some((100, 0)));
}

#[test]
fn no_monitor_is_no_crash() {
    assert_eq!(
        case("no-monitor").0,
        Frame {
            position: None,
            size: size(800.0, 600.0),
            is_maximised: false
        }
    );
}

#[test]
fn every_case_can_be_reached_and_fits() {
    for name in [
        "monitor-gone",
        "negative-left",
        "2x-to-1x",
        "fractional",
        "too-big",
        "minimised-windows",
        "title-above",
        "garbage",
    ] {
        let (frame, monitors) = case(name);
        assert!(is_reachable(&frame, &monitors), "{name}: {frame:?}");
    }
}

fn is_reachable(frame: &Frame, monitors: &[Monitor]) -> bool {
    let Some((x, y)) = frame.position else { return true };
    monitors.iter().any(|m| {
        let bounds = Area {
            x: x.into(),
            y: y.into(),
            w: frame.size.w * m.scale,
            h: frame.size.h * m.scale,
        };
        let fits = bounds.w <= m.work.w && bounds.h <= m.work.h;
        fits && is_in_reach(&bounds, m)
    })
}

#[test]
fn wherever_it_was_it_can_be_reached() {
    let monitors = [
        Monitor {
            work: Area {
                x: 0.0,
                y: 32.0,
                w: 1920.0,
                h: 1048.0,
            },
            scale: 1.0,
            is_primary: true,
        },
        Monitor {
            work: Area {
                x: 1920.0,
                y: -400.0,
                w: 3840.0,
                h: 2160.0,
            },
            scale: 2.0,
            is_primary: false,
        },
    ];
    for x in (-6000..6000).step_by(173) {
        for y in (-3000..3000).step_by(91) {
            let bounds = Area {
                x: x.into(),
                y: y.into(),
                w: 1300.0,
                h: 700.0,
            };
            let frame = restore(
                Some(Saved {
                    bounds,
                    scale: 1.0,
                    is_maximised: false,
                }),
                &monitors,
            );
            assert!(is_reachable(&frame, &monitors), "{x},{y}: {frame:?}");
        }
    }
}

/// What a window system makes of the frame: whole physical pixels.
fn shown(frame: &Frame, scale: f64) -> Seen {
    let (x, y) = frame.position.unwrap_or((0, 0));
    let bounds = Area {
        x: x.into(),
        y: y.into(),
        w: (frame.size.w * scale).round(),
        h: (frame.size.h * scale).round(),
    };
    Seen {
        bounds,
        scale,
        is_minimised: false,
        is_maximised: frame.is_maximised,
    }
}

#[test]
fn ten_restarts_keep_the_size_on_every_scale() {
    for scale in [1.0, 1.25, 1.3333, 1.5, 1.75, 2.0, 3.0] {
        let monitors = [Monitor {
            work: Area {
                x: 0.0,
                y: 0.0,
                w: 5000.0,
                h: 4000.0,
            },
            scale,
            is_primary: true,
        }];
        for w in 1024..1124 {
            let start = Frame {
                position: Some((40, 30)),
                size: size(w.into(), 701.0),
                is_maximised: false,
            };
            let mut frame = start;
            for _ in 0..10 {
                let saved = capture(&shown(&frame, scale), None).expect("a usable window");
                let read = Saved::read(&serde_json::from_str(&saved.write().to_string()).expect("JSON"));
                frame = restore(read, &monitors);
            }
            assert_eq!(frame, start, "at scale {scale}");
        }
    }
}

#[test]
fn ten_moves_between_scales_keep_the_size() {
    let monitor = |scale| {
        [Monitor {
            work: Area {
                x: 0.0,
                y: 0.0,
                w: 5000.0,
                h: 4000.0,
            },
            scale,
            is_primary: true,
        }]
    };
    let mut frame = Frame {
        position: Some((40, 30)),
        size: size(1201.0, 803.0),
        is_maximised: false,
    };
    for scale in [1.0, 2.0, 1.5, 1.25, 1.0, 1.75, 3.0, 1.0, 2.0, 1.25] {
        let saved = capture(&shown(&frame, scale), None);
        frame = restore(saved, &monitor(scale));
        assert_eq!(frame.size, size(1201.0, 803.0));
    }
}

#[test]
fn minimised_and_vanished_windows_are_not_stored() {
    let normal = shown(
        &Frame {
            position: Some((10, 10)),
            size: size(1200.0, 800.0),
            is_maximised: false,
        },
        1.0,
    );
    let before = capture(&normal, None);
    assert!(before.is_some());
    assert_eq!(
        capture(
            &Seen {
                is_minimised: true,
                ..normal
            },
            before
        ),
        None
    );
    let nothing = Area {
        x: 0.0,
        y: 0.0,
        w: 0.0,
        h: 0.0,
    };
    assert_eq!(
        capture(
            &Seen {
                bounds: nothing,
                ..normal
            },
            before
        ),
        None
    );
    let parked = Area {
        x: -32000.0,
        y: -32000.0,
        w: 160.0,
        h: 28.0,
    };
    assert_eq!(
        capture(
            &Seen {
                bounds: parked,
                ..normal
            },
            before
        ),
        None
    );
}

#[test]
fn maximised_is_a_flag_beside_the_normal_bounds() {
    let normal = shown(
        &Frame {
            position: Some((10, 10)),
            size: size(1200.0, 800.0),
            is_maximised: false,
        },
        1.0,
    );
    let before = capture(&normal, None).expect("usable");
    let whole = Area {
        x: 0.0,
        y: 0.0,
        w: 1920.0,
        h: 1080.0,
    };
    let maximised = capture(
        &Seen {
            bounds: whole,
            is_maximised: true,
            ..normal
        },
        Some(before),
    )
    .expect("stored");
    assert_eq!(
        maximised,
        Saved {
            is_maximised: true,
            ..before
        }
    );
    assert_eq!(Saved::read(&maximised.write()), Some(maximised));
}
