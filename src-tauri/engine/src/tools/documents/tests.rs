//! Documents as people have them, and as nobody should.

use std::io::{Cursor, Write as _};

use lopdf::content::{Content, Operation};
use lopdf::{Document, Object, Stream, dictionary};
use serde_json::json;
use tokio_util::sync::CancellationToken;
use zip::write::SimpleFileOptions;

use super::sheet::Named;
use super::*;
use crate::model::Json;
use crate::tools::testing::{Rig, code_of};
use crate::tools::worker::Workers;

fn text(html: &str) -> String {
    markdown(html.as_bytes()).unwrap()["text"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn a_page_becomes_markdown_without_what_runs() {
    let page = "<html><head><style>p{color:red}</style><script>steal()</script></head><body><h2>Rates</h2>
        <p>See <a href='https://example.com/a'>the <b>list</b></a>.</p><ul><li>one<li>two</ul>
        <table><tr><th>sku</th></tr><tr><td>A-1</td></tr></table></body></html>";
    let text = text(page);
    for piece in [
        "## Rates",
        "[the **list**](https://example.com/a)",
        "one",
        "two",
        "A-1",
    ] {
        assert!(text.contains(piece), "`{piece}` is not in {text}");
    }
    assert!(!text.contains("steal") && !text.contains("color"), "{text}");
}

#[test]
fn a_page_in_its_own_encoding_is_read_in_it() {
    let (bytes, _, _) = encoding_rs::SHIFT_JIS.encode("<meta charset=\"Shift_JIS\"><p>価格</p>");
    let read = markdown(&bytes).unwrap();
    assert!(read["text"].as_str().unwrap().contains("価格"), "{read}");
}

#[test]
fn what_is_nested_without_end_is_refused_at_once() {
    assert_eq!(code_of(markdown("<div>".repeat(200_000).as_bytes())), "too_deep");
    assert_eq!(code_of(markdown(&vec![b'a'; (16 << 20) + 1])), "too_large");
    // Nine hundred deep is read, also on a small thread.
    let deep = format!("{}deep{}", "<div>".repeat(900), "</div>".repeat(900));
    let small = std::thread::Builder::new().stack_size(256 << 10);
    let read = small.spawn(move || text(&deep)).unwrap().join().unwrap();
    assert!(read.contains("deep"));
    // A long list whose items do not end is no deep one.
    assert!(text(&format!("<ul>{}</ul>", "<li>a".repeat(5000))).contains('a'));
}

fn pdf(pages: &[&str]) -> Vec<u8> {
    let mut document = Document::with_version("1.5");
    let parent = document.new_object_id();
    let font = document.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Courier",
    });
    let resources = document.add_object(dictionary! { "Font" => dictionary! { "F1" => font } });
    let kids: Vec<Object> = pages
        .iter()
        .map(|text| {
            let operations = vec![
                Operation::new("BT", vec![]),
                Operation::new("Tf", vec!["F1".into(), 12.into()]),
                Operation::new("Tj", vec![Object::string_literal(*text)]),
                Operation::new("ET", vec![]),
            ];
            let content = Content { operations }.encode().unwrap();
            let content = document.add_object(Stream::new(dictionary! {}, content));
            let page = dictionary! { "Type" => "Page", "Parent" => parent, "Contents" => content };
            document.add_object(page).into()
        })
        .collect();
    let count = i64::try_from(kids.len()).unwrap();
    let tree = dictionary! {
        "Type" => "Pages", "Kids" => kids, "Count" => count, "Resources" => resources,
        "MediaBox" => vec![0.into(), 0.into(), 595.into(), 842.into()],
    };
    document.objects.insert(parent, Object::Dictionary(tree));
    let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => parent });
    document.trailer.set("Root", catalog);
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    bytes
}

#[test]
fn a_pdf_is_read_page_by_page() {
    let read = pages(&pdf(&["First page", "Second (page)"]), &CancellationToken::new()).unwrap();
    assert_eq!(read, json!({"pages": ["First page", "Second (page)"]}));
}

#[test]
fn what_is_no_pdf_says_so() {
    let never = CancellationToken::new();
    let whole = pdf(&["text"]);
    for bytes in [&b""[..], b"%PDF-1.7", b"plain text", &whole[..whole.len() / 2]] {
        assert_eq!(code_of(pages(bytes, &never)), "bad_document");
    }
}

/// What a PDF that lost its end still gives is all of its text, or an error.
#[test]
fn a_cut_pdf_is_whole_or_an_error() {
    let never = CancellationToken::new();
    let whole = pdf(&["First page", "Second page", "Third page"]);
    let read = pages(&whole, &never).unwrap();
    let mut refused = 0;
    for cut in 0..whole.len() {
        match pages(&whole[..cut], &never) {
            Ok(got) => assert_eq!(got, read, "cut at {cut}"),
            Err(error) => {
                assert_eq!(code_of(Err(error)), "bad_document");
                refused += 1;
            }
        }
    }
    assert!(refused > whole.len() / 2, "{refused} of {}", whole.len());
}

#[test]
fn what_is_wrong_with_a_pdf_is_said() {
    let never = CancellationToken::new();
    let told = |bytes: &[u8]| pages(bytes, &never).unwrap_err().to_string();
    let whole = pdf(&["text", "more"]);
    assert!(told(b"").contains("empty"));
    assert!(told(b"plain text").contains("no PDF"), "{}", told(b"plain text"));
    let half = told(&whole[..whole.len() / 2]);
    assert!(half.contains("cut off"), "{half}");
    assert!(told(&pdf(&[])).contains("no pages"));
    // Its end is there, and a page's content is not.
    let mut document = Document::load_mem(&whole).unwrap();
    let page = *document.get_pages().get(&2).unwrap();
    let content = document.get_page_contents(page)[0];
    document.objects.remove(&content);
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    assert!(
        told(&bytes).contains("page 2 has lost its content"),
        "{}",
        told(&bytes)
    );
}

#[test]
fn pages_that_are_pictures_have_no_text_and_that_is_said() {
    let never = CancellationToken::new();
    let mut document = Document::load_mem(&pdf(&["", ""])).unwrap();
    let about = dictionary! {
        "Type" => "XObject", "Subtype" => "Image", "Width" => 1, "Height" => 1, "ColorSpace" => "DeviceGray",
        "BitsPerComponent" => 8,
    };
    let picture = document.add_object(Stream::new(about, vec![0]));
    for page in document.get_pages().into_values() {
        document.add_xobject(page, "Im1", picture).unwrap();
    }
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    let read = pages(&bytes, &never).unwrap();
    assert_eq!(read["pages"], json!(["", ""]));
    assert_eq!(read["note"], "no text; 2 of 2 pages hold pictures and no text");
    let bare = pages(&pdf(&["text", ""]), &never).unwrap();
    assert_eq!(bare["note"], "1 of 2 pages are empty");
}

/// A workbook of one sheet with these rows, as XML inside its cells says.
fn xlsx(rows: &str) -> Vec<u8> {
    let files = [
        (
            "[Content_Types].xml",
            r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>"#.to_owned(),
        ),
        (
            "_rels/.rels",
            r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#.to_owned(),
        ),
        (
            "xl/workbook.xml",
            r#"<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Costs" sheetId="1" r:id="r1"/><sheet name="Empty" sheetId="2" r:id="r2"/></sheets></workbook>"#.to_owned(),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet2.xml"/></Relationships>"#.to_owned(),
        ),
        (
            "xl/styles.xml",
            r#"<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>"#.to_owned(),
        ),
        (
            "xl/worksheets/sheet1.xml",
            format!(r#"<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{rows}</sheetData></worksheet>"#),
        ),
        (
            "xl/worksheets/sheet2.xml",
            r#"<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData/></worksheet>"#.to_owned(),
        ),
    ];
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        archive.start_file(name, SimpleFileOptions::default()).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

const COSTS: &str = r#"
    <row r="1"><c r="A1" t="inlineStr"><is><t>sku</t></is></c><c r="B1" t="inlineStr"><is><t>cost</t></is></c><c r="C1" t="inlineStr"><is><t>day</t></is></c><c r="D1"/></row>
    <row r="3"><c r="A3" t="inlineStr"><is><t>A-1</t></is></c><c r="B3"><v>12.5</v></c><c r="C3" s="1"><v>45000</v></c><c r="D3" t="b"><v>1</v></c></row>
    <row r="4"><c r="A4" t="inlineStr"><is><t>B-2</t></is></c><c r="B4"><v>7</v></c><c r="D4" t="e"><v>#DIV/0!</v></c></row>"#;

fn read(bytes: Vec<u8>, name: Option<Named>, has_header: bool) -> Result<Json, ToolError> {
    rows(&Sheet { name, has_header }, bytes, &CancellationToken::new())
}

#[test]
fn a_sheet_becomes_rows_with_their_values() {
    let got = read(xlsx(COSTS), None, true).unwrap();
    assert_eq!(
        got,
        json!({
            "sheet": "Costs", "sheets": ["Costs", "Empty"], "columns": ["sku", "cost", "day", "column_4"],
            "rows": [
                {"sku": "A-1", "cost": 12.5, "day": "2023-03-15", "column_4": true},
                {"sku": "B-2", "cost": 7, "day": null, "column_4": "#DIV/0!"},
            ],
        })
    );
    let bare = read(xlsx(COSTS), Some(Named::Number(1)), false).unwrap();
    assert_eq!(bare["rows"].as_array().unwrap().len(), 3);
    assert_eq!(bare["rows"][0]["column_1"], "sku");
    let empty = read(xlsx(COSTS), Some(Named::Name("Empty".to_owned())), true).unwrap();
    assert_eq!(empty["rows"], json!([]));
}

#[test]
fn what_is_wrong_with_a_workbook_is_said() {
    let told = read(xlsx(COSTS), Some(Named::Name("cost".to_owned())), true).unwrap_err();
    assert!(told.to_string().contains("there are: Costs, Empty"), "{told}");
    assert_eq!(
        code_of(read(xlsx(COSTS), Some(Named::Number(3)), true)),
        "not_found"
    );
    assert_eq!(code_of(read(b"no workbook".to_vec(), None, true)), "bad_document");
    let twice = r#"<row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c><c r="B1" t="inlineStr"><is><t>a</t></is></c></row>"#;
    let told = read(xlsx(twice), None, true).unwrap_err();
    assert!(told.to_string().contains("two columns are called `a`"), "{told}");
}

#[test]
fn cells_far_apart_cost_what_they_hold() {
    let far =
        r#"<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>"#;
    let got = read(xlsx(far), None, false).unwrap();
    let rows = got["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 2);
    assert_eq!(
        (&rows[0]["column_1"], &rows[0]["column_16384"]),
        (&json!(1), &Json::Null)
    );
    assert_eq!(
        (&rows[1]["column_1"], &rows[1]["column_16384"]),
        (&Json::Null, &json!(2))
    );
    // Many such rows are more than fits.
    let row = |n: u32| format!(r#"<row r="{n}"><c r="A{n}"><v>1</v></c><c r="XFD{n}"><v>2</v></c></row>"#);
    let wide: String = (1..=200).map(row).collect();
    let told = read(xlsx(&wide), None, false).unwrap_err();
    assert_eq!(code_of(Err(told.clone())), "too_large");
    assert!(told.to_string().contains("200 rows of 16384 columns"), "{told}");
}

/// An ods whose one sheet has these rows.
fn ods(rows: &str, end: &str) -> Vec<u8> {
    let xml = |name: &str| format!("urn:oasis:names:tc:opendocument:xmlns:{name}:1.0");
    let (office, table, text) = (xml("office"), xml("table"), xml("text"));
    let files = [
        (
            "mimetype",
            "application/vnd.oasis.opendocument.spreadsheet".to_owned(),
        ),
        ("META-INF/manifest.xml", "<manifest/>".to_owned()),
        (
            "content.xml",
            format!(
                r#"<office:document-content xmlns:office="{office}" xmlns:table="{table}" xmlns:text="{text}"><office:body><office:spreadsheet><table:table table:name="A">{rows}{end}"#
            ),
        ),
    ];
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        archive.start_file(name, SimpleFileOptions::default()).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

const ODS_END: &str = "</table:table></office:spreadsheet></office:body></office:document-content>";

#[test]
fn an_ods_is_read_and_one_that_does_not_end_or_grows_is_refused() {
    let cell = |repeats: u32, value: &str| {
        format!(
            r#"<table:table-cell table:number-columns-repeated="{repeats}" office:value-type="float" office:value="{value}"/>"#
        )
    };
    let row = |repeats: u32, cells: &str| {
        format!(r#"<table:table-row table:number-rows-repeated="{repeats}">{cells}</table:table-row>"#)
    };
    let empty = r#"<table:table-cell table:number-columns-repeated="16384"/>"#;
    // As they end when a spreadsheet program writes them: empty to the last row and column.
    let whole = row(2, &(cell(3, "1.5") + empty)) + &row(1_048_574, empty);
    let got = read(ods(&whole, ODS_END), None, false).unwrap();
    assert_eq!(got["rows"].as_array().unwrap().len(), 2);
    assert_eq!(got["rows"][1]["column_3"], 1.5);
    let told = |rows: &str, end: &str| read(ods(rows, end), None, false).unwrap_err();
    assert!(told(&whole, "").to_string().contains("does not end"));
    assert!(
        told(&whole, "</table:table>")
            .to_string()
            .contains("does not end")
    );
    let text = "x".repeat(1 << 20);
    let long = format!(
        r#"<table:table-cell table:number-columns-repeated="100" office:value-type="string" office:string-value="{text}"/>"#
    );
    let spaces = r#"<table:table-cell office:value-type="string"><text:p><text:s text:c="4000000000"/></text:p></table:table-cell>"#;
    for rows in [
        row(1_000_000, &cell(16_000, "1")),
        row(1, &cell(1, "1")) + &row(1_000_000, empty) + &row(1, &cell(3, "1")),
        row(1, &long),
        row(1, spaces),
    ] {
        assert_eq!(code_of(Err(told(&rows, ODS_END))), "too_large");
    }
}

/// An xls with these records in its one sheet, each a kind and what it says.
fn xls(records: &[(u16, Vec<u8>)]) -> Vec<u8> {
    let record = |kind: u16, said: &[u8]| {
        let length = u16::try_from(said.len()).unwrap();
        [&kind.to_le_bytes(), &length.to_le_bytes(), said].concat()
    };
    let begin = |kind: u8| record(0x0809, &[0, 6, kind, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    let sheet = |start: u32| {
        let head = [&start.to_le_bytes()[..], &[0, 0, 1, 0, b'A']].concat();
        record(0x0085, &head)
    };
    let before = begin(5).len() + sheet(0).len() + record(0x000a, &[]).len();
    let start = u32::try_from(before).unwrap();
    let mut book = [begin(5), sheet(start), record(0x000a, &[]), begin(0x10)].concat();
    for (kind, said) in records {
        book.extend(record(*kind, said));
    }
    book.extend(record(0x000a, &[]));
    let mut file = cfb::CompoundFile::create(Cursor::new(Vec::new())).unwrap();
    file.create_stream("/Workbook").unwrap().write_all(&book).unwrap();
    file.flush().unwrap();
    file.into_inner().into_inner()
}

fn number(row: u16, column: u16, value: f64) -> (u16, Vec<u8>) {
    let place = [row.to_le_bytes(), column.to_le_bytes(), [0, 0]].concat();
    (0x0203, [place, value.to_le_bytes().to_vec()].concat())
}

#[test]
fn an_xls_is_read_and_one_that_lies_of_its_size_is_refused() {
    let got = read(xls(&[number(0, 0, 1.5), number(2, 1, 2.0)]), None, false).unwrap();
    assert_eq!(
        got["rows"],
        json!([{"column_1": 1.5, "column_2": null}, {"column_1": null, "column_2": 2}])
    );
    let far = xls(&[number(0, 0, 1.0), number(65_535, 255, 2.0)]);
    assert_eq!(code_of(read(far, None, false)), "too_large");
    let huge = [[0; 4], [0, 0, 0, 0x7f], [0, 0, 0xff, 0]].concat();
    let lie = (0x0200, [huge, vec![0; 2]].concat());
    assert_eq!(code_of(read(xls(&[lie]), None, false)), "bad_document");
    let mut file = cfb::CompoundFile::create(Cursor::new(Vec::new())).unwrap();
    file.create_stream("/EncryptedPackage")
        .unwrap()
        .write_all(b"x")
        .unwrap();
    file.flush().unwrap();
    assert_eq!(
        code_of(read(file.into_inner().into_inner(), None, false)),
        "encrypted"
    );
    // Sectors in a circle, in every place.
    let whole = xls(&[number(0, 0, 1.5)]);
    for at in (512..whole.len() - 4).step_by(4) {
        for to in 0..4_u8 {
            let mut bytes = whole.clone();
            bytes[at..at + 4].copy_from_slice(&[to, 0, 0, 0]);
            let _ = read(bytes, None, false);
        }
    }
}

#[test]
fn names_of_columns_count_as_often_as_they_are_said() {
    let long = "n".repeat(30_000);
    let head = format!(r#"<row r="1"><c r="A1" t="inlineStr"><is><t>{long}</t></is></c></row>"#);
    let rows: String = (2..5_000)
        .map(|n| format!(r#"<row r="{n}"><c r="A{n}"><v>1</v></c></row>"#))
        .collect();
    assert_eq!(code_of(read(xlsx(&(head + &rows)), None, true)), "too_large");
}

#[test]
fn broken_and_locked_workbooks_say_what_they_are() {
    let told = |bytes: Vec<u8>| read(bytes, None, true).unwrap_err().to_string();
    let whole = xlsx(COSTS);
    assert!(told(Vec::new()).contains("empty"));
    assert!(told(whole[..whole.len() / 2].to_vec()).contains("cut off or broken"));
    assert!(told(b"a,b\n1,2\n".to_vec()).contains("neither an archive"));
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    archive
        .start_file("letter.txt", SimpleFileOptions::default())
        .unwrap();
    let other = archive.finish().unwrap().into_inner();
    assert!(told(other).contains("the archive is no workbook"));
}

#[test]
fn a_small_archive_that_unpacks_to_gigabytes_is_refused() {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    archive
        .start_file("xl/workbook.xml", SimpleFileOptions::default())
        .unwrap();
    let piece = vec![b' '; 1 << 20];
    for _ in 0..300 {
        archive.write_all(&piece).unwrap();
    }
    let bytes = archive.finish().unwrap().into_inner();
    assert_eq!(code_of(read(bytes, None, true)), "too_large");
}

#[tokio::test]
async fn the_tools_read_files_inside_their_walls() {
    let rig = Rig::open();
    rig.put("costs.xlsx", xlsx(COSTS));
    rig.put("page.html", "<h1>Hi</h1>");
    rig.put("doc.pdf", pdf(&["One"]));
    let closed = || [].into();
    let sheets = SheetRead::new(closed(), Workers::here());
    let got = rig
        .call(&sheets, json!({"path": "costs.xlsx", "sheet": 1}))
        .await
        .unwrap();
    assert_eq!(got["rows"][1]["sku"], "B-2");
    let pages = PdfToText::new(closed(), Workers::here());
    assert_eq!(
        rig.call(&pages, json!({"path": "doc.pdf"})).await.unwrap(),
        json!({"pages": ["One"]})
    );
    let html = HtmlToMarkdown::new(closed(), Workers::here());
    let from_file = rig.call(&html, json!({"path": "page.html"})).await.unwrap();
    assert_eq!(from_file["text"], "# Hi");
    let given = rig.call(&html, json!({"html": "<b>x</b>"})).await.unwrap();
    assert_eq!(given["text"], "**x**");
    let outside = rig.call(&pages, json!({"path": "/etc/hostname"})).await;
    assert_eq!(code_of(outside), "not_granted");
}
