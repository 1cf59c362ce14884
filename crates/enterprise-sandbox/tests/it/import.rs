//! Import of the published files, and of small files of our own in every form.

use crate::support::{exported, read_tree, shared};
use enterprise_sandbox::data::company::Company;
use enterprise_sandbox::data::import::{ImportError, ImportOptions, NativeTree, import};
use enterprise_sandbox::data::synth::{CompanyConfig, DataDefects, synthesise};
use enterprise_sandbox::data::tables::{FieldType, TableId};
use serde_json::{Value, json};
use sim_core::{Seed, Stream};

/// Golden counts of section 9 of the design page, measured on the published files.
const GOLDEN: [(TableId, u32, u32); 9] = [
    (TableId::Employees, 1_260, 0),
    (TableId::Customers, 90, 0),
    (TableId::Products, 1_351, 1),
    (TableId::Sales, 13_510, 0),
    (TableId::SupportChats, 1_000, 0),
    (TableId::Tickets, 163, 0),
    (TableId::Posts, 971, 0),
    (TableId::Clients, 400, 27),
    (TableId::Vendors, 400, 0),
];

#[test]
fn the_published_files_give_the_golden_counts() {
    let Some(root) = shared("upstream/office") else {
        return;
    };
    let (company, report) = import(&read_tree(&root), &ImportOptions::default()).unwrap();
    assert!(report.unknown_columns.is_empty() && report.absent_columns.is_empty());
    for (source, rows, repaired) in GOLDEN {
        let got = &report.sources[&source];
        assert_eq!(got.rows, rows, "{source}");
        assert_eq!(got.imported, rows, "{source}");
        assert_eq!(company.rows(source), rows, "{source}");
        assert_eq!(got.repaired, repaired, "{source}");
        assert_eq!(got.quarantined, 0, "{source}");
    }
    assert_eq!(report.repairs.len(), 28, "every repaired row is listed");
    assert_eq!(report.repairs_by_rule["rating_unreadable"], 1);
    assert_eq!(report.repairs_by_rule["phone_was_a_number"], 27);
    assert_eq!(report.findings["email_collisions"], 6);
    assert_eq!(report.findings["dangling_keys"], 0);
    assert_eq!(report.findings["leavers_still_valid"], 309);
    assert_eq!(report.findings["reports_to_leavers"], 223);
    assert_eq!(report.coercions["order_path_mapped"], 270);
    assert_eq!(report.coercions["vendor_key_renamed"], 400);
    // Some values as written in the files.
    let row = company.find(TableId::Employees, "emp_0431").unwrap();
    let get = |field| company.cell(TableId::Employees, row, field);
    assert_eq!(get("Name"), "Raj Patel");
    assert_eq!(get("Level"), "EN14");
    assert_eq!(get("DOJ"), "2012-01-03");
    assert_eq!(get("Salary"), 51_000);
    assert_eq!(get("reportees").as_array().unwrap().len(), 9);
    let product = company.find(TableId::Products, "B0B82YGCF6").unwrap();
    assert_eq!(
        company.cell(TableId::Products, product, "actual_price"),
        3_499
    );
}

#[test]
fn an_imported_tree_goes_there_and_back() {
    let Some(root) = shared("upstream/office") else {
        return;
    };
    let (first, _) = import(&read_tree(&root), &ImportOptions::default()).unwrap();
    let mut tree = NativeTree::new();
    let files = exported(&first);
    for (path, text) in &files {
        tree.insert(path.clone(), text.clone());
    }
    let (second, _) = import(&tree, &ImportOptions::default()).unwrap();
    assert_eq!(first.digest(), second.digest());
    // Untyped native fields are kept.
    let rows: Vec<Value> =
        serde_json::from_str(&files["Human_Resource_Management/Employees/employees.json"]).unwrap();
    assert_eq!(rows.len(), 1_260);
    assert_eq!(rows[0]["index"], "1");
}

#[test]
fn a_made_company_goes_there_and_back() {
    for dirt in [DataDefects::None, DataDefects::Upstream] {
        let config = CompanyConfig {
            dirt: dirt.clone(),
            ..CompanyConfig::of(300, 5)
        };
        let first = synthesise(&config).unwrap();
        let files = exported(&first);
        let tree: NativeTree = files.into_iter().collect();
        let (second, report) = import(&tree, &ImportOptions::default()).unwrap();
        assert!(
            report.quarantined.is_empty(),
            "{:?}",
            &report.quarantined[..1]
        );
        let mut compared = 0;
        for source in TableId::ALL {
            if dirt != DataDefects::None && source == TableId::Issues {
                continue; // missing issues are one of the data defects
            }
            assert_eq!(first.rows(source), second.rows(source), "{source}");
            for row in 0..first.rows(source) {
                for field in source.fields() {
                    let (a, b) = (
                        first.cell(source, row, field.name),
                        second.cell(source, row, field.name),
                    );
                    assert_eq!(a, b, "{source} {row} {}", field.name);
                    compared += 1;
                }
            }
        }
        assert!(compared > 50_000);
        if dirt == DataDefects::None {
            assert!(report.repairs.is_empty(), "{:?}", report.repairs_by_rule);
            assert_eq!(report.findings["email_collisions"], 0);
        } else {
            for rule in ["word_trimmed", "phone_was_a_number"] {
                assert!(report.repairs_by_rule[rule] > 0, "{rule}");
            }
            assert!(report.findings["conversations_with_oneself"] > 0);
        }
    }
}

fn person(id: &str, name: &str, reports_to: Option<&str>, reportees: &[&str]) -> Value {
    json!({
        "emp_id": id, "Name": name, "email": format!("{id}@x.example"), "category": "Finance",
        "Level": "FI10", "DOJ": "14-03-2016", "DOL": "Present", "Salary": "84000",
        "Total Casual Leaves": "8", "Remaining Casual Leaves": "3", "Total Sick Leaves": "10",
        "Remaining Sick Leaves": "10", "Total Vacation Leaves": "15",
        "Remaining Vacation Leaves": "6", "Total Leaves Taken": "14", "Age": "34",
        "Performance Rating": "4", "Marital Status": "Single", "Gender": "Female",
        "is_valid": "TRUE", "reportees": reportees, "reports_to": reports_to,
        "description": "d", "Experience": "e", "skills": "Budgeting, SQL", "index": "7"
    })
}

fn tree(files: &[(&str, Value)]) -> NativeTree {
    let people = json!([
        person("emp_1", "Ada Berg", None, &["emp_2"]),
        person("emp_2", "Bo Dahl", Some("emp_1"), &[]),
        person("emp_3", "Cy Falk", Some("emp_9"), &["emp_1"]),
        person("emp_2", "Twice", None, &[]),
    ]);
    let mut out = NativeTree::new();
    out.insert(
        "Human Resource Management/Employees/employees.json",
        people.to_string(),
    );
    for (path, value) in files {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        out.insert(*path, text);
    }
    out
}

#[test]
fn people_are_repaired_or_set_aside() {
    let (c, report) = import(&tree(&[]), &ImportOptions::default()).unwrap();
    assert_eq!(c.rows(TableId::Employees), 3);
    assert_eq!(report.quarantined[0].rule, "duplicate_id");
    assert_eq!(report.repairs_by_rule["dangling_manager"], 1);
    assert_eq!(report.repairs_by_rule["reportees_recomputed"], 1);
    assert_eq!(report.findings["dangling_keys"], 1);
    assert!(import(&NativeTree::new(), &ImportOptions::default()).is_err());
    let broken: NativeTree = [("employees/employees.json", "{}")].into_iter().collect();
    assert!(import(&broken, &ImportOptions::default()).is_err());
}

/// Random people and stated managers, with the expected managers: one that would close a cycle is
/// dropped, which a search upwards from each stated manager finds.
fn reporting_by_chance(draws: &mut Stream) -> (Value, Vec<Option<usize>>) {
    let people = 2 + draws.index(30);
    let mut left: Vec<Option<usize>> = vec![None; people];
    let rows: Vec<Value> = (0..people)
        .map(|row| {
            let stated = draws.chance(0.9).then(|| draws.index(people));
            let is_above = |manager| {
                std::iter::successors(Some(manager), |at: &usize| left[*at]).any(|at| at == row)
            };
            left[row] = stated.filter(|manager| !is_above(*manager));
            let manager = stated.map(|manager| format!("emp_{manager}"));
            person(&format!("emp_{row}"), "Ada Berg", manager.as_deref(), &[])
        })
        .collect();
    (rows.into(), left)
}

#[test]
fn lines_that_would_close_a_cycle_are_dropped() {
    let mut draws = Seed(1).stream("reporting lines", 0);
    let mut cycles = 0;
    for _ in 0..200 {
        let (people, left) = reporting_by_chance(&mut draws);
        let tree = [("employees/employees.json", people.to_string())];
        let (company, report) =
            import(&tree.into_iter().collect(), &ImportOptions::default()).unwrap();
        for (row, manager) in (0..).zip(&left) {
            let expected = manager.map(|manager| format!("emp_{manager}"));
            let got = company.cell(TableId::Employees, row, "reports_to");
            assert_eq!(got, json!(expected), "row {row} of {people}");
        }
        let stated = people.as_array().unwrap();
        let stated = stated.iter().filter(|p| !p["reports_to"].is_null()).count();
        let dropped = stated - left.iter().flatten().count();
        let counted = report.repairs_by_rule.get("reporting_cycle");
        assert_eq!(counted.copied().unwrap_or_default() as usize, dropped);
        cycles += dropped;
    }
    assert!(cycles > 200, "{cycles}");
}

#[test]
fn mails_and_conversations_in_both_shapes() {
    let mails = json!([
        {"email_id": "m1", "thread_id": "t1", "date": "2019-05-06 09:15:00 IST",
         "sender_email": "emp_1@x.example", "sender_name": "Ada Berg", "sender_emp_id": "emp_1",
         "recipient_email": "emp_2@x.example", "recipient_name": "Bo Dahl",
         "recipient_emp_id": "emp_2", "subject": "Plan", "body": "..", "importance": "High\n",
         "category": "MEETING", "signature": "x", "confidentiality_notice": null},
        {"email_id": "m2", "thread_id": "t1", "date": "2019-05-06 10:00:00",
         "sender": {"email": "emp_2@x.example", "name": "Bo Dahl", "emp_id": null},
         "recipient": {"email": "emp_1@x.example", "name": "Ada Berg", "emp_id": "emp_1"},
         "subject": "Re", "body": "b", "importance": "Normal", "category": "nonsense"},
        {"email_id": "m3", "thread_id": "t2", "date": "2019-05-06 10:00:00 IST",
         "sender_emp_id": "emp_77", "recipient_emp_id": "emp_1", "subject": "s", "body": "b",
         "importance": "Normal", "category": "URGENT"},
    ]);
    let talks = json!([
        {"conversation_id": "c1", "sender_emp_id": "emp_1", "recipient_emp_id": "emp_2",
         "date": "2019-05-06", "text": "Emp1: hi"},
        {"conversation_id": "c2", "text": "older",
         "metadata": {"emp1_id": "emp_1", "emp2_id": "emp_1", "category": "HR",
                      "conversation_date": "2019-05-07"}},
        {"conversation_id": "c3", "text": "code",
         "metadata": {"github_author_id": "emp_2", "employee_id": "emp_1", "repo_name": "a/b",
                      "assigned_date": "2019-05-08"}},
    ]);
    let t = tree(&[
        ("Enterprise_mail_system/emails.json", mails),
        ("Collaboration_tools/conversations.json", talks),
    ]);
    let (c, report) = import(&t, &ImportOptions::default()).unwrap();
    assert_eq!(c.rows(TableId::Emails), 2);
    assert_eq!(c.thread_count(), 1);
    assert_eq!(c.cell(TableId::Emails, 0, "importance"), "High");
    assert_eq!(
        c.cell(TableId::Emails, 0, "date"),
        "2019-05-06T09:15:00+05:30"
    );
    assert_eq!(c.cell(TableId::Emails, 1, "sender_emp_id"), "emp_2");
    assert_eq!(c.cell(TableId::Emails, 1, "category"), "GENERAL");
    for (rule, n) in [
        ("word_trimmed", 1),
        ("word_unknown", 1),
        ("person_from_address", 1),
    ] {
        assert_eq!(report.repairs_by_rule[rule], n, "{rule}");
    }
    assert_eq!(report.coercions["nested_participants"], 1);
    assert_eq!(report.coercions["zone_assumed"], 1);
    let aside: Vec<_> = report
        .quarantined
        .iter()
        .map(|n| (n.source, n.rule))
        .collect();
    assert!(aside.contains(&(TableId::Emails, "dangling_key")));
    assert_eq!(c.rows(TableId::Conversations), 3);
    assert_eq!(c.cell(TableId::Conversations, 2, "sender_emp_id"), "emp_2");
    assert_eq!(report.findings["conversations_with_oneself"], 1);
}

#[test]
fn code_reviews_overflow_and_curricula() {
    let code = json!([
        {"repo_name": "ann/tool", "path": "src/a.py", "copies": "2", "size": 812, "code": "x",
         "license": "mit", "hash": "00", "emp_id": "emp_1", "creation_date": "2015-06-07",
         "language": "Python", "issues": {"id": "i1", "title": "t", "description": "d",
         "status": "open", "created_at": "2025-05-08 15:37:00", "patch": "--- a/"}},
        {"repo_name": "ann/tool", "path": "src/b.py", "copies": 1, "size": "9", "code": "y",
         "license": "mit", "hash": "01", "emp_id": "emp_1", "creation_date": "2015-06-07",
         "language": "Python", "issues": null},
        {"repo_name": "ann/more", "path": "c.py", "copies": "2", "size": 1, "code": "z",
         "license": null, "hash": "02", "emp_id": "emp_2", "creation_date": "2015-06-07",
         "issues": [{"id": "i2", "title": "t2", "description": "d", "status": "closed",
         "created_at": "2025-05-08 15:37:00"}, {"id": "i3", "title": "no date"}]},
    ]);
    let overflow = json!([
        {"Id": 501, "PostTypeId": 2, "ParentId": 500, "Score": 3, "Body": "a",
         "Tags": null, "CreationDate": "2012-01-02T03:04:05.000", "employee_id": "emp_1"},
        {"Id": "500", "PostTypeId": 1, "AcceptedAnswerId": 999, "Score": 1, "ViewCount": 5,
         "Title": "q", "Body": "b", "Tags": "<python><sql>",
         "CreationDate": "2012-01-01T03:04:05", "employee_id": "emp_2", "ContentLicense": "x"},
        {"Id": 502, "PostTypeId": 1, "Title": "q2", "Body": "b", "Tags": ["a", "b"],
         "CreationDate": "2012-01-01T03:04:05", "employee_id": "emp_2"},
    ]);
    let csv = "resume_id,emp_id,category,name,content,email,created_date,file_path\n\
        r1,emp_1,Finance,Ada Berg,\"two\nlines, \"\"quoted\"\"\",a@b,2024-10-28,resumes/r1.pdf\n\
        r2,emp_2,Finance,,text,,2024-10-28,resumes/r2.pdf\n\
        r3,emp_8,Finance,X,text,x,2024-10-28,resumes/r3.pdf\n";
    let t = tree(&[
        ("Workspace\\GitHub\\GitHub.json", code),
        ("Inazuma_Overflow/overflow.json", overflow),
        (
            "Human_Resource_Management/Resume/resume_information.csv",
            json!(csv),
        ),
        ("notes/readme.md", json!("unknown")),
    ]);
    let (c, report) = import(&t, &ImportOptions::default()).unwrap();
    assert_eq!(c.rows(TableId::Repositories), 2);
    assert_eq!((c.rows(TableId::Files), c.rows(TableId::Issues)), (3, 2));
    assert_eq!(c.cell(TableId::Files, 1, "size"), 9);
    assert_eq!(c.find(TableId::Files, "ann/tool:src/b.py"), Some(1));
    assert_eq!(c.cell(TableId::Issues, 1, "repo_name"), "ann/more");
    assert_eq!(report.findings["files_without_issue"], 1);
    assert!(
        report
            .quarantined
            .iter()
            .any(|n| n.rule == "date_or_id_unusable")
    );
    assert_eq!(c.cell(TableId::Overflow, 0, "ParentId"), 500);
    assert_eq!(
        c.cell(TableId::Overflow, 1, "Tags"),
        json!(["python", "sql"])
    );
    assert_eq!(report.repairs_by_rule["dangling_post"], 1);
    assert_eq!(c.rows(TableId::Resumes), 2);
    assert_eq!(
        c.cell(TableId::Resumes, 0, "content"),
        "two\nlines, \"quoted\""
    );
    assert_eq!(c.cell(TableId::Resumes, 1, "name"), Value::Null);
    assert_eq!(report.unknown_files, ["notes/readme.md"]);
}

#[test]
fn an_unknown_word_in_a_choice_that_may_be_null_is_a_repair() {
    let products = json!([{"product_id": "p1", "product_name": "Lamp", "category": "Home",
        "discounted_price": "₹5", "actual_price": "₹9", "rating": "4"}]);
    let customers = json!([{"customer_id": "c1", "customer_name": "dee east"}]);
    let review = |id: &str, polarity: Value| {
        json!({"sentiment_id": id, "product_id": "p1", "customer_id": "c1",
            "review_content": "ok", "review_date": "2019-05-06", "polarity": polarity})
    };
    let reviews = json!([
        review("r1", json!("negative")),
        review("r2", json!(" Positive")),
        review("r3", json!("mixed")),
        review("r4", json!(3)),
        review("r5", Value::Null),
    ]);
    let t = tree(&[
        ("Customer_Relation_Management/products.json", products),
        ("Customer_Relation_Management/customers.json", customers),
        (
            "Customer_Relation_Management/product_sentiment.json",
            reviews,
        ),
    ]);
    let (c, report) = import(&t, &ImportOptions::default()).unwrap();
    let read = (0..5).map(|row| c.cell(TableId::Reviews, row, "polarity"));
    let read: Vec<Value> = read.collect();
    assert_eq!(
        json!(read),
        json!(["negative", "positive", null, null, null])
    );
    let notes = report
        .repairs
        .iter()
        .filter(|n| n.source == TableId::Reviews);
    let notes: Vec<_> = notes
        .map(|n| (n.position, n.rule, &*n.field, &*n.before, &*n.after))
        .collect();
    // A value that is null is not a fault.
    let expected = [
        (2, "word_unknown", "polarity", "mixed", "null"),
        (3, "word_unknown", "polarity", "3", "null"),
    ];
    assert_eq!(notes, expected);
    assert_eq!(report.sources[&TableId::Reviews].repaired, 2);
    assert!(
        report
            .quarantined
            .iter()
            .all(|n| n.source != TableId::Reviews)
    );
}

#[test]
fn missing_sources_can_be_made() {
    let Some(root) = shared("upstream/office") else {
        return;
    };
    let options = ImportOptions {
        fill: Some(enterprise_sandbox::data::synth::VolumeProfile::Upstream),
        ..ImportOptions::default()
    };
    let (c, report) = import(&read_tree(&root), &options).unwrap();
    for source in [
        TableId::Emails,
        TableId::Conversations,
        TableId::Reviews,
        TableId::Overflow,
        TableId::Repositories,
        TableId::Resumes,
        TableId::PolicyDocuments,
    ] {
        assert!(report.filled.contains(&source), "{source}");
        assert!(c.rows(source) > 0, "{source}");
        assert_eq!(report.sources[&source].made, c.rows(source), "{source}");
    }
    assert_eq!(c.rows(TableId::Emails), 11_928);
    let name = c.cell(TableId::Emails, 17, "sender_name");
    assert!(!name.as_str().unwrap().is_empty());
}

/// The cells of a field, in order.
fn cells(c: &Company, source: TableId, field: &str) -> Value {
    let rows = 0..c.rows(source);
    rows.map(|row| c.cell(source, row, field)).collect()
}

#[test]
fn values_that_cannot_be_read_are_noted() {
    let post = |id: i64, more: Value| {
        let mut post = json!({"Id": id, "PostTypeId": 1, "Title": "t", "Body": "b", "Score": 3,
            "CreationDate": "2012-01-01T03:04:05", "employee_id": "emp_2"});
        let more = more.as_object().unwrap().clone();
        post.as_object_mut().unwrap().extend(more);
        post
    };
    let overflow = json!([
        post(
            1,
            json!({"Score": "many", "ViewCount": "?", "ParentId": "none"})
        ),
        post(2, json!({"Score": null})),
        post(3, json!({"PostTypeId": 4})),
        post(4, json!({"Body": {"text": "b"}})),
        post(5, json!({"Id": "+1"})),
        post(
            6,
            json!({"Id": "06", "PostTypeId": 2, "ParentId": 1, "Tags": "sql"})
        ),
    ]);
    let posts = json!([
        {"Title": "one", "Post": "p", "emp_id": "emp_1", "parent_id": "post_7"},
        {"Title": "two", "Post": "p", "emp_id": "emp_1", "parent_id": "post_0"},
    ]);
    let file = |path: &str, issues: Value| {
        json!({"repo_name": "ann/tool", "path": path, "copies": "x", "size": 1, "code": "x",
            "hash": "00", "emp_id": "emp_1", "creation_date": "2015-06-07", "issues": issues})
    };
    let issue = |id: &str, status: &str| {
        json!({"id": id, "title": "t", "description": "d", "status": status,
            "created_at": "2025-05-08 15:37:00", "labels": ["bug"]})
    };
    let code = json!([
        file("a.py", issue("i1", "Closed")),
        file("b.py", json!([issue("i2", "won't fix"), "see a.py"])),
    ]);
    let customers =
        json!([{"customer_id": "c1", "customer_name": "dee", "invoice_paths": ["a", "b"]}]);
    let t = tree(&[
        ("overflow.json", overflow),
        ("posts.json", posts),
        ("GitHub.json", code),
        ("customers.json", customers),
    ]);
    let (c, report) = import(&t, &ImportOptions::default()).unwrap();
    assert_eq!(cells(&c, TableId::Overflow, "Id"), json!([1, 2, 6]));
    assert_eq!(cells(&c, TableId::Overflow, "Score"), json!([0, 0, 3]));
    assert_eq!(
        cells(&c, TableId::Posts, "parent_id"),
        json!([null, "post_0"])
    );
    let status = cells(&c, TableId::Issues, "status");
    assert_eq!(status, json!(["closed", "open"]));
    let notes = report
        .repairs
        .iter()
        .filter(|n| n.source != TableId::Employees);
    let notes: Vec<_> = notes.map(|n| (n.rule, &*n.field, &*n.before)).collect();
    let expected = [
        ("text_unreadable", "invoice_paths", "[\"a\",\"b\"]"),
        ("dangling_post", "parent_id", "post_7"),
        ("number_unreadable", "Score", "many"),
        ("number_unreadable", "ViewCount", "?"),
        ("dangling_post", "ParentId", "none"),
        ("number_unreadable", "copies", "x"),
        ("number_unreadable", "copies", "x"),
        ("text_unreadable", "issues", "see a.py"),
        ("word_unknown", "status", "won't fix"),
    ];
    assert_eq!(notes, expected);
    let aside = report.quarantined.iter().skip(1);
    let aside: Vec<_> = aside.map(|n| (n.rule, &*n.field)).collect();
    let expected = [
        ("word_unknown", "post_type"),
        ("missing_field", "Body"),
        ("duplicate_id", "Id"),
    ];
    assert_eq!(aside, expected);
    // What no field reads is written again, and nothing else changes.
    let written = exported(&c);
    let files: Vec<Value> = serde_json::from_str(&written["Workspace/GitHub/GitHub.json"]).unwrap();
    assert_eq!(files[0]["issues"]["labels"], json!(["bug"]));
    let (again, _) = import(&written.into_iter().collect(), &ImportOptions::default()).unwrap();
    assert_eq!(again.digest(), c.digest());
}

#[test]
fn people_are_read_in_every_spelling() {
    let odd = |id: &str, changes: Value| {
        let mut person = person(id, "Ada Berg", None, &[]);
        let changes = changes.as_object().unwrap().clone();
        person.as_object_mut().unwrap().extend(changes);
        person
    };
    let people = json!([
        odd(
            "1",
            json!({"emp_id": 1, "skills": ["SQL", "Tax"], "is_valid": 0})
        ),
        odd("2", json!({"reports_to": 1, "Description": "Sales"})),
        odd(
            "3",
            json!({"Remaining Casual Leaves": "10", "Total Leaves Taken": "9"})
        ),
        odd("4", json!({"DOL": 20240101})),
        odd("5", json!({"category": "Money"})),
    ]);
    let files = [("employees.json", people.to_string())];
    let (c, report) = import(&files.into_iter().collect(), &ImportOptions::default()).unwrap();
    let get = |row, field| c.cell(TableId::Employees, row, field);
    assert_eq!(get(0, "skills"), json!(["SQL", "Tax"]));
    assert_eq!(
        (get(0, "is_valid"), get(1, "is_valid")),
        (json!(false), json!(true))
    );
    assert_eq!(get(1, "reports_to"), "1");
    assert_eq!(get(2, "Total Leaves Taken"), 9);
    assert_eq!(get(3, "category"), "Finance");
    let aside: Vec<_> = report
        .quarantined
        .iter()
        .map(|n| (&*n.id, n.rule))
        .collect();
    assert_eq!(aside, [("4", "date_unreadable")]);
    assert_eq!(report.repairs_by_rule["department_from_level"], 1);
    assert!(!report.repairs_by_rule.contains_key("leave_sum_recomputed"));
    // A stale copy of the department is kept.
    let people = &exported(&c)["Human_Resource_Management/Employees/employees.json"];
    assert!(people.contains("\"Description\":\"Sales\""), "{people}");
}

#[test]
fn values_that_no_record_may_have_are_noted() {
    let odd = |id: &str, field: &str, value: Value| {
        let mut person = person(id, "Ada Berg", None, &[]);
        person[field] = value;
        person
    };
    let people = json!([
        odd("1", "Salary", json!("$98,500")),
        odd("2", "Salary", json!("98,5")),
        odd("3", "Age", json!("230")),
        odd("4", "Performance Rating", json!(9)),
        odd("5", "Performance Rating", Value::Null),
        odd("6", "DOJ", json!("02-01-2031")),
        odd("7", "is_valid", json!("maybe")),
        odd("8", "is_valid", json!(2)),
        odd("9", "is_valid", json!("No")),
        odd("10", "Remaining Sick Leaves", json!("70")),
        odd("11", "Age", json!("71")),
        odd("12", "is_valid", json!("")),
    ]);
    let files = [("employees.json", people.to_string())];
    let (c, report) = import(&files.into_iter().collect(), &ImportOptions::default()).unwrap();
    let get = |id: &str, field| {
        let row = c.find(TableId::Employees, id).unwrap();
        c.cell(TableId::Employees, row, field)
    };
    assert_eq!(get("1", "Salary"), 98_500);
    assert_eq!(report.coercions["currency_in_string"], 1);
    assert_eq!(get("2", "Salary"), Value::Null);
    assert_eq!(get("9", "is_valid"), false);
    assert_eq!(get("10", "Remaining Sick Leaves"), 70);
    assert_eq!(get("11", "Age"), 71);
    assert_eq!(get("12", "is_valid"), true);
    let notes = report
        .repairs
        .iter()
        .filter(|n| n.rule.starts_with("number"));
    let notes: Vec<_> = notes
        .map(|n| (&*n.id, n.rule, &*n.before, &*n.after))
        .collect();
    let expected = [
        ("2", "number_unreadable", "98,5", "null"),
        ("3", "number_out_of_range", "230", "null"),
        ("4", "number_out_of_range", "9", "null"),
    ];
    assert_eq!(notes, expected);
    assert_eq!(report.findings["events_after_clock"], 1);
    let aside = report.quarantined.iter();
    let aside: Vec<_> = aside.map(|n| (&*n.id, n.rule, &*n.before)).collect();
    assert_eq!(
        aside,
        [("7", "word_unknown", "maybe"), ("8", "word_unknown", "2")]
    );
}

#[test]
fn columns_that_are_unknown_or_absent_are_noted() {
    let mut people = json!([
        person("emp_1", "Ada Berg", None, &["emp_2"]),
        person("emp_2", "Bo Dahl", Some("emp_1"), &[]),
    ]);
    for person in people.as_array_mut().unwrap() {
        let person = person.as_object_mut().unwrap();
        let manager = person.remove("reports_to").unwrap();
        person.insert("manager_id".to_owned(), manager);
    }
    let sales = json!([{"sales_record_id": 1, "colour": "red"}]);
    let t: NativeTree = [
        ("employees.json", people.to_string()),
        ("sales.json", sales.to_string()),
    ]
    .into_iter()
    .collect();
    let (_, report) = import(&t, &ImportOptions::default()).unwrap();
    let unknown = &report.unknown_columns[&TableId::Employees];
    assert!(unknown.iter().eq(["manager_id"]), "{unknown:?}");
    assert_eq!(report.absent_columns[&TableId::Employees], ["reports_to"]);
    // Also where no row could be used.
    assert!(report.absent_columns[&TableId::Sales].contains(&"Date_of_Purchase"));
    assert!(
        report.unknown_columns[&TableId::Sales]
            .iter()
            .eq(["colour"])
    );

    let made = exported(&synthesise(&CompanyConfig::of(50, 5)).unwrap());
    let (_, report) = import(&made.into_iter().collect(), &ImportOptions::default()).unwrap();
    assert!(report.unknown_columns.is_empty() && report.absent_columns.is_empty());
    assert!(!report.findings.contains_key("events_after_clock"));
}

/// A column under another name, for which all rows of the file are set aside: both names are noted, and no column that
/// was not reached.
#[test]
fn renamed_columns_are_noted_where_no_row_can_be_used() {
    let made = exported(&synthesise(&CompanyConfig::of(50, 5)).unwrap());
    for (file, source, old, new) in [
        (
            "sales.json",
            TableId::Sales,
            "discount_percentage",
            "discount",
        ),
        ("it_tickets.json", TableId::Tickets, "priority", "Priority"),
        ("clients.json", TableId::Clients, "client_id", "ClientID"),
        (
            "employees.json",
            TableId::Employees,
            "emp_id",
            "employee_id",
        ),
        (
            "customers.json",
            TableId::Customers,
            "customer_id",
            "customer",
        ),
        ("emails.json", TableId::Emails, "email_id", "mail"),
        ("overflow.json", TableId::Overflow, "Id", "number"),
    ] {
        let rename = |(path, text): (&String, &String)| match path.ends_with(file) {
            true => (
                path.clone(),
                text.replace(&format!("\"{old}\":"), &format!("\"{new}\":")),
            ),
            false => (path.clone(), text.clone()),
        };
        let tree = made.iter().map(rename).collect();
        let (_, report) = import(&tree, &ImportOptions::default()).unwrap();
        assert_eq!(report.sources[&source].imported, 0, "{source}");
        assert_eq!(report.absent_columns[&source], [old], "{source}");
        let unknown = &report.unknown_columns[&source];
        assert!(unknown.iter().eq([new]), "{source}: {unknown:?}");
    }
    // A row of the code has three tables in one.
    let rename = |(path, text): (&String, &String)| {
        (
            path.clone(),
            text.replace("\"repo_name\":", "\"repository\":"),
        )
    };
    let (_, report) = import(
        &made.iter().map(rename).collect(),
        &ImportOptions::default(),
    )
    .unwrap();
    assert_eq!(report.absent_columns[&TableId::Repositories], ["repo_name"]);
    let unknown = &report.unknown_columns[&TableId::Files];
    assert!(unknown.iter().eq(["repository"]), "{unknown:?}");
}

#[test]
fn columns_without_a_field_go_there_and_back() {
    let path = "Human_Resource_Management/Resume/resume_information.csv";
    let csv = "resume_id,emp_id,category,name,content,email,created_date,file_path,rank\n\
        r1,emp_1,Finance,Ada Berg,text,a@b,2024-10-28,r1.pdf,7,more\n\
        r2,emp_2,Finance,Bo Dahl,text,b@b,2024-10-28,r2.pdf\n";
    let (c, report) = import(&tree(&[(path, json!(csv))]), &ImportOptions::default()).unwrap();
    assert_eq!(report.sources[&TableId::Resumes].imported, 2);
    let again = &exported(&c)[path];
    let lines: Vec<&str> = again.lines().collect();
    assert!(lines[0].ends_with(",file_path,column 10,rank"), "{again}");
    assert!(lines[1].ends_with(",r1.pdf,more,7"), "{again}");
    assert!(lines[2].ends_with(",r2.pdf,,"), "{again}");
    let unknown = &report.unknown_columns[&TableId::Resumes];
    assert!(unknown.iter().eq(["column 10", "rank"]), "{unknown:?}");
}

/// Row numbers, as pandas writes them, and the empty columns of a spreadsheet.
#[test]
fn columns_without_a_name_are_no_fault() {
    let path = "Human_Resource_Management/Resume/resume_information.csv";
    let csv = "resume_id,emp_id,category,name,content,email,created_date,file_path,,\r\n\
        r1,emp_1,Finance,Ada Berg,text,a@b,2024-10-28,r1.pdf,0,\r\n\
        r2,emp_2,Finance,Bo Dahl,text,b@b,2024-10-28,r2.pdf,1,\r\n";
    let (c, report) = import(&tree(&[(path, json!(csv))]), &ImportOptions::default()).unwrap();
    assert_eq!(report.sources[&TableId::Resumes].imported, 2);
    let unknown = &report.unknown_columns;
    assert!(!unknown.contains_key(&TableId::Resumes), "{unknown:?}");
    let again = &exported(&c)[path];
    assert!(
        again.lines().nth(1).unwrap().ends_with(",r1.pdf,0"),
        "{again}"
    );
}

#[test]
fn files_may_begin_with_a_byte_order_mark() {
    let people = json!([person("emp_1", "Ada Berg", None, &[])]);
    let files = [("employees.json", format!("\u{feff}{people}"))];
    let (c, _) = import(&files.into_iter().collect(), &ImportOptions::default()).unwrap();
    assert_eq!(c.rows(TableId::Employees), 1);
}

#[test]
fn a_document_with_a_wrong_label_is_set_aside() {
    let document = |label: &str| json!(format!("Title\nlabel: {label}\n1. One\n1.1 Rule."));
    let t = tree(&[
        ("Policy_Documents/a.txt", document("Engineerng")),
        ("Policy_Documents/b.txt", document("level>=twelve")),
        ("Policy_Documents/c.txt", document("level>=12")),
        ("Policy_Documents/old/c.txt", document("all")),
        ("Policy_Documents/d.txt", document("all")),
    ]);
    let (c, report) = import(&t, &ImportOptions::default()).unwrap();
    let labels = cells(&c, TableId::PolicyDocuments, "label");
    assert_eq!(labels, json!(["level>=12", "all"]));
    let aside = report.quarantined.iter().skip(1);
    let aside: Vec<_> = aside.map(|n| (&*n.id, n.rule)).collect();
    let expected = [
        ("a", "label_unreadable"),
        ("b", "label_unreadable"),
        ("c", "duplicate_id"),
    ];
    assert_eq!(aside, expected);
}

#[test]
fn rows_that_are_made_are_counted_apart_from_rows_that_are_read() {
    let options = ImportOptions {
        fill: Some(enterprise_sandbox::data::synth::VolumeProfile::Upstream),
        ..ImportOptions::default()
    };
    let counts = |files: &[(&str, Value)]| {
        let (c, report) = import(&tree(files), &options).unwrap();
        for (source, s) in &report.sources {
            assert_eq!(s.rows, s.imported + s.quarantined, "{source}");
            assert_eq!(c.rows(*source), s.imported + s.made, "{source}");
            assert_eq!(report.filled.contains(source), s.made > 0, "{source}");
        }
        report.sources
    };
    // The documents of customers are read from the file of the customers.
    let customer = json!([{"customer_id": "c1", "customer_name": "dee"}]);
    let read = counts(&[("customers.json", customer)]);
    let documents = &read[&TableId::OrderDocuments];
    assert_eq!((documents.rows, documents.made), (3, 0));
    assert_eq!(documents.path.as_deref(), Some("customers.json"));
    assert!(read[&TableId::Emails].made > 0);
    let made = counts(&[]);
    let documents = &made[&TableId::OrderDocuments];
    assert_eq!(documents.path, None);
    assert_eq!(documents.made, 3 * made[&TableId::Customers].made);
    assert!(documents.made > 0);
}

#[test]
fn sources_that_link_to_nothing_are_not_made() {
    let options = ImportOptions {
        fill: Some(enterprise_sandbox::data::synth::VolumeProfile::Upstream),
        ..ImportOptions::default()
    };
    let alone = json!([person("emp_1", "Ada Berg", None, &[])]);
    let nobody = json!([]);
    for people in [alone, nobody] {
        let staff = people.as_array().unwrap().len();
        let files = [
            ("Employees/employees.json", people.to_string()),
            ("customers.json", "[]".to_owned()),
        ];
        let (c, _) = import(&files.into_iter().collect(), &options).unwrap();
        assert_eq!(c.rows(TableId::Emails), 0);
        assert_eq!(c.rows(TableId::Sales) + c.rows(TableId::Reviews), 0);
        assert_eq!(c.rows(TableId::Tickets) > 0, staff > 0);
        for source in TableId::ALL {
            for field in source.fields().iter().filter(|f| !f.nullable) {
                let FieldType::Link(_) = field.kind else {
                    continue;
                };
                for row in 0..c.rows(source) {
                    let id = c.cell(source, row, field.name);
                    assert!(!id.is_null() && id != "", "{source} {}", field.name);
                }
            }
        }
    }
}

#[test]
fn formulas_in_a_resume_are_written_as_text_and_come_back() {
    let first = synthesise(&CompanyConfig::of(50, 5)).unwrap();
    let path = "Human_Resource_Management/Resume/resume_information.csv";
    let mut files = exported(&first);
    let text = files.get_mut(path).unwrap();
    let id = first.id(TableId::Resumes, 0);
    let from = text.find(&id).unwrap();
    let to = text[from + 1..]
        .find(&first.id(TableId::Resumes, 1))
        .map_or(text.len(), |n| from + 1 + n);
    let person = first.cell(TableId::Resumes, 0, "emp_id");
    let row = format!(
        "{id},{},Sales,\"@name\",\"'=cmd|' /C calc'!A0\",a@b.example,2025-01-01,\"a\rb\"\n",
        person.as_str().unwrap()
    );
    text.replace_range(from..to, &row);
    let tree: NativeTree = files.into_iter().collect();
    let (second, report) = import(&tree, &ImportOptions::default()).unwrap();
    assert_eq!(report.quarantined, []);
    assert_eq!(
        second.cell(TableId::Resumes, 0, "content"),
        "=cmd|' /C calc'!A0"
    );
    let again = exported(&second);
    for cell in again[path].split([',', '\n']) {
        let cell = cell.trim_start_matches('"');
        assert!(!cell.starts_with(['=', '+', '@', '\t', '\r']), "{cell}");
    }
    let tree: NativeTree = again.into_iter().collect();
    let (third, _) = import(&tree, &ImportOptions::default()).unwrap();
    assert_eq!(second.digest(), third.digest());
}

#[test]
fn a_file_with_too_many_people_is_refused() {
    let text = format!("[{}{{}}]", "{},".repeat(100_000));
    let tree: NativeTree = [("Employees/employees.json", text)].into_iter().collect();
    let error = import(&tree, &ImportOptions::default()).unwrap_err();
    assert!(
        matches!(error, ImportError::TooManyRows { most: 100_000, .. }),
        "{error}"
    );
}

#[test]
fn a_policy_document_that_would_fill_the_memory_is_refused() {
    let staff = "[{\"emp_id\":\"a\",\"name\":\"A\",\"category\":\"HR\",\"level\":9}]";
    let document = |length: usize| -> NativeTree {
        [
            ("Employees/employees.json", staff.to_owned()),
            ("Policy_Documents/long.txt", "a\n".repeat(length / 2)),
        ]
        .into_iter()
        .collect()
    };
    let error = import(&document((1 << 24) + 2), &ImportOptions::default()).unwrap_err();
    assert!(matches!(error, ImportError::TooLong { .. }), "{error}");
    let (company, _) = import(&document(1 << 20), &ImportOptions::default()).unwrap();
    assert_eq!(company.rows(TableId::PolicyDocuments), 1);
}

#[test]
fn a_row_is_an_object_of_limited_size_that_names_no_key_twice() {
    let long = format!("[{{\"reportees\":[{}0]}}]", "0,".repeat(1_500_000));
    for (text, why) in [
        (long.as_str(), "holds more"),
        ("[{\"emp_id\":\"a\",\"emp_id\":\"b\"}]", "emp_id"),
        ("[[1]]", "a row is an object"),
    ] {
        let files = [("Employees/employees.json", text.to_owned())];
        let tree: NativeTree = files.into_iter().collect();
        let error = import(&tree, &ImportOptions::default()).unwrap_err();
        let ImportError::NotRows { message, .. } = &error else {
            panic!("{error}");
        };
        assert!(message.contains(why), "{message}");
    }
}
