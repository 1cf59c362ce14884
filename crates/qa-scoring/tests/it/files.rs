//! Files of answers as spreadsheets and other programs write them.

#![allow(
    clippy::disallowed_methods,
    reason = "a promise about time needs a clock"
)]

use qa_scoring::load::{self, Prediction};
use qa_scoring::score::{self, Join, JoinCause};
use qa_scoring::{AnswerOutcome, Gold, Grader, Item, LoadError, Settings, Task, score_set};

/// The answers to items 1 to 3 of every file below: positive, negative, and none at all or `Error_..`.
fn read(bytes: &[u8]) -> Vec<(String, Option<String>)> {
    let found = load::predictions(bytes).unwrap_or_else(|e| panic!("{e}"));
    let pair = |one: Prediction| (one.id, one.reply);
    found.records.into_iter().map(pair).collect()
}

#[track_caller]
fn gives(file: impl AsRef<[u8]>, want: &[(&str, &str)]) {
    let want: Vec<_> = want
        .iter()
        .map(|(id, reply)| ((*id).to_owned(), Some((*reply).to_owned())))
        .collect();
    assert_eq!(
        read(file.as_ref()),
        want,
        "{:?}",
        String::from_utf8_lossy(file.as_ref())
    );
}

const TWO: [(&str, &str); 2] = [("1", "positive"), ("2", "negative")];

#[test]
fn tables_of_spreadsheets() {
    for file in [
        "id,answer\n1,positive\n2,negative\n",
        "\u{feff}id;answer\r\n1;positive\r\n2;negative\r\n",
        "id\tanswer\n1\tpositive\n2\tnegative",
        "id|answer\n1|positive\n2|negative\n",
        // The separator in the first line, as Excel writes and reads it.
        "sep=;\r\nid;answer\r\n1;positive\r\n2;negative\r\n",
        // Line ends of old spreadsheets, and lines without content.
        "id,answer\r1,positive\r2,negative\r",
        "id;answer;;\n1;positive;;\n2;negative;;\n;;;\n;;;\n",
        ",\nid,answer\n1,positive\n,\n2,negative\n,\n",
        "\"id\";\"answer\"\r\n\"1\";\"positive\"\r\n\"2\";\"negative\"\r\n",
        "\"ID\",\"Answer\"\n\"1\",\"positive\"\n\n\"2\",\"negative\"\n",
        // Further columns, in any order, with other separators inside.
        "answer;note, if any;id\npositive;a, b;1\nnegative;\"c; d\";2\n",
        "id,note,answer\n1,a;b;c,positive\n2,d;e;f,negative\n",
        // pandas with its index.
        ",id,answer\n0,1,positive\n1,2,negative\n",
        // Names in words, and the right answer beside the model's.
        "Question ID,Question,Model Answer\n1,?,positive\n2,?,negative\n",
        "id;answer;llm-response\n1;neutral;positive\n2;neutral;negative\n",
        "id,answer,completion\n1,neutral,positive\n2,neutral,negative\n",
        // Digits that a spreadsheet keeps as text.
        "id,answer\n\"=\"\"1\"\"\",positive\n'2,negative\n",
    ] {
        gives(file, &TWO);
    }
    // Excel's "Unicode text".
    let text = "id\tanswer\r\n1\tpositive\r\n2\tnegative\r\n";
    let wide: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain(text.encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    gives(wide, &TWO);
    let wide: Vec<u8> = [0xfe, 0xff]
        .into_iter()
        .chain(text.encode_utf16().flat_map(u16::to_be_bytes))
        .collect();
    gives(wide, &TWO);
    let unmarked: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    gives(unmarked, &TWO);
    // A file that was cut off within a character.
    let cut: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain(text.encode_utf16().flat_map(u16::to_le_bytes))
        .chain(*b"3")
        .collect();
    let fault = load::predictions(&cut).unwrap_err();
    assert_eq!(
        fault,
        LoadError::NotUtf8 {
            position: cut.len() - 1
        }
    );
    // Quoted separators, quotes and line ends belong to the answer.
    gives(
        "id;answer\r\n1;\"12,50; then \"\"x\"\"\"\r\n2;\"two\nlines\"\r\n",
        &[("1", "12,50; then \"x\""), ("2", "two\nlines")],
    );
    // A decimal comma is not a separator, and commas in a table of one column neither separate nor hide the column.
    gives("id;answer\n1;3,5\n2;4,5\n", &[("1", "3,5"), ("2", "4,5")]);
    gives(
        "answer\npositive\nnegative\n",
        &[("0", "positive"), ("1", "negative")],
    );
}

#[test]
fn a_row_keeps_its_place_whatever_its_reply_is() {
    for (file, want) in [
        ("prediction\n5\n\"\"\n7\n", ["5", "", "7"]),
        ("prediction\r\n5\r\n-\r\n7\r\n", ["5", "-", "7"]),
        ("prediction,reason\n5,x\n,\n7,y\n,\n", ["5", "", "7"]),
        ("prediction\n\n5\n--\n\n7\n\n", ["5", "--", "7"]),
        (
            "| prediction |\n| :--- |\n| 5 |\n| - |\n| 7 |\n",
            ["5", "-", "7"],
        ),
    ] {
        let found = read(file.as_bytes()).into_iter();
        let found: Vec<String> = found.map(|(_, reply)| reply.unwrap_or_default()).collect();
        let found: Vec<&str> = found.iter().map(|reply| reply.trim()).collect();
        assert_eq!(found, want, "{file}");
    }
}

/// Empty lines of a table of one column are empty replies if that makes as many replies as items; else the file says
/// too little, and a remark tells which lines were left out.
#[test]
fn an_empty_line_is_an_empty_reply_where_the_items_say_so() {
    let items: Vec<Item> = ["a", "b", "c"]
        .map(|id| Item::new(id, "?", Gold::Text("positive".to_owned())))
        .to_vec();
    let read = |file: &str, items: &[Item]| {
        let found = answers("FPB", items, file).unwrap();
        let replies = found.records.into_iter().map(|one| one.reply.unwrap());
        let left_out = found.remarks.into_iter().find_map(|remark| {
            let load::RemarkKind::EmptyLines(first, count) = remark.kind else {
                return None;
            };
            Some((first, count))
        });
        (replies.collect::<Vec<String>>(), left_out)
    };
    for (file, want) in [
        (
            "prediction\npositive\n\nnegative\n",
            ["positive", "", "negative"],
        ),
        (
            "prediction\r\npositive\r\n\r\nnegative\r\n",
            ["positive", "", "negative"],
        ),
        (
            "prediction\n\npositive\nnegative\n",
            ["", "positive", "negative"],
        ),
        (
            "prediction\npositive\nnegative\n\n",
            ["positive", "negative", ""],
        ),
        ("prediction\n\n\npositive", ["", "", "positive"]),
        (
            "prediction\n\"po\n\nsitive\"\n\nnegative\n\n\n",
            ["po\n\nsitive", "", "negative"],
        ),
        (
            "sep=;\nprediction\npositive\n\nnegative\n",
            ["positive", "", "negative"],
        ),
    ] {
        let (replies, left_out) = read(file, &items);
        assert_eq!(replies, want, "{file}");
        assert_eq!(left_out, None, "{file}");
    }
    let one = "prediction\npositive\n\nneutral\nnegative\n";
    let told = answers("FPB", &items, one).unwrap().remarks;
    let told: Vec<String> = told.iter().map(ToString::to_string).collect();
    let is_one = |text: &String| text.starts_with("1 empty line was left out (line 3)");
    assert!(told.iter().any(is_one), "{told:?}");
    for (file, count, want) in [
        // Rows that are set apart, and more lines than items.
        (
            "prediction\npositive\n\nneutral\n\nnegative\n",
            3,
            vec![3, 5],
        ),
        ("prediction\npositive\n\n\n\nnegative\n", 2, vec![3, 4, 5]),
        // What stands at the end is no row that was lost.
        ("prediction\npositive\nneutral\nnegative\n\n\n", 3, vec![]),
    ] {
        let (replies, left_out) = read(file, &items);
        assert_eq!(replies.len(), count, "{file}");
        let lines = left_out.map_or_else(Vec::new, |(first, _)| first);
        assert_eq!(lines, want, "{file}");
    }
    let long = format!("prediction\npositive\n{}negative\n", "\n".repeat(50));
    let (_, left_out) = read(&long, &items);
    assert_eq!(left_out, Some(((3..13).collect(), 50)));
}

#[test]
fn json_of_other_programs() {
    for file in [
        r#"{"1": "positive", "2": "negative"}"#,
        "{\n  \"1\": \"positive\",\n  \"2\": \"negative\"\n}\n",
        r#"{"1": {"answer": "positive"}, "2": {"answer": "negative", "seconds": 3}}"#,
        r#"[["1", "positive"], ["2", "negative"]]"#,
        r#"{"model": "m", "predictions": [{"id": 1, "prediction": "positive"}, {"id": 2, "prediction": "negative"}]}"#,
        r#"{"answers": {"1": "positive", "2": "negative"}}"#,
        // pandas, by columns, split and records; whole numbers as decimals.
        r#"{"id":{"0":1,"1":2},"answer":{"0":"positive","1":"negative"}}"#,
        r#"{"columns":["id","answer"],"index":[0,1],"data":[[1.0,"positive"],[2.0,"negative"]]}"#,
        r#"[{"id":1.0,"answer":"positive"},{"id":2.0,"answer":"negative"}]"#,
        r#"{"id": [1, 2], "answer": ["positive", "negative"]}"#,
        // lm-evaluation-harness.
        r#"{"doc_id":1,"doc":{"q":"x"},"target":"positive","resps":[["positive"]],"filtered_resps":["p"],"filter":"none"}
           {"doc_id":2,"doc":{"q":"y"},"target":"positive","resps":[["negative"]],"filtered_resps":["n"],"filter":"none"}"#,
        r#"{"doc_id":0,"doc":{"ID":1},"resps":[["positive"]]}
           {"doc_id":1,"doc":{"ID":2},"resps":[["negative"]]}"#,
        // OpenAI's batches: chat completions and responses.
        r#"{"id":"batch_req_7","custom_id":"1","response":{"status_code":200,"request_id":"r","body":{"id":"chatcmpl-1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"positive"},"finish_reason":"stop"}],"usage":{"total_tokens":9}}},"error":null}
           {"id":"batch_req_8","custom_id":"2","response":{"status_code":200,"request_id":"r","body":{"id":"resp_1","object":"response","output":[{"type":"reasoning","summary":[]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"negative","annotations":[]}]}]}},"error":null}"#,
        // Anthropic's.
        r#"{"custom_id":"1","result":{"type":"succeeded","message":{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"thinking","thinking":"negative?"},{"type":"text","text":"positive"}],"stop_reason":"end_turn"}}}
           {"custom_id":"2","result":{"type":"succeeded","message":{"id":"msg_2","type":"message","role":"assistant","content":[{"type":"text","text":"negative"}]}}}"#,
        // Gemini's and Bedrock's.
        r#"{"key":"1","response":{"candidates":[{"content":{"role":"model","parts":[{"text":"hm","thought":true},{"text":"positive"}]}}]}}
           {"recordId":"2","modelInput":{},"modelOutput":{"type":"message","role":"assistant","content":[{"type":"text","text":"negative"}]}}"#,
        // A log of inspect, as JSON.
        r#"{"version":2,"status":"success","eval":{"model":"m"},"samples":[
            {"id":1,"epoch":1,"input":"?","target":"positive","choices":["a","b"],"messages":[{"role":"user","content":"?"},{"role":"assistant","content":"positive"}],"output":{"model":"m","choices":[{"message":{"role":"assistant","content":"positive"}}],"completion":"positive"}},
            {"id":2,"epoch":1,"input":"?","target":"negative","output":{"model":"m","choices":[{"message":{"role":"assistant","content":[{"type":"reasoning","reasoning":"hm"},{"type":"text","text":"negative"}]}}]}}]}"#,
        // EvalPlus, SageMaker, and what keeps the reply one level deeper.
        r#"{"task_id":1,"solution":"positive"}
           {"task_id":2,"solution":"negative"}"#,
        r#"{"id":1,"text":"?","SageMakerOutput":[{"generated_text":"positive"}]}
           {"id":2,"text":"?","SageMakerOutput":{"generated_text":"negative"}}"#,
        r#"{"object":"eval.run.output_item","id":"o","datasource_item_id":0,"datasource_item":{"id":1,"label":"neutral"},"sample":{"input":[],"output":[{"role":"assistant","content":"positive"}]}}
           {"object":"eval.run.output_item","id":"p","datasource_item_id":1,"datasource_item":{"id":2},"sample":{"output":[{"role":"assistant","content":"negative"}]}}"#,
        r#"{"run":{"id":"r","outputs":{"output":"positive"}},"example":{"id":1,"outputs":{"answer":"neutral"}}}
           {"run":{"id":"s","outputs":{"output":"negative"}},"example":{"id":2}}"#,
        r#"{"features":[],"rows":[{"row_idx":0,"row":{"ID":1,"prediction":"positive"}},{"row_idx":1,"row":{"ID":2,"prediction":"negative"}}]}"#,
        r#"{"id":1,"model":"m","message":{"role":"assistant","content":"positive"},"done":true}
           {"id":2,"model":"m","message":{"role":"assistant","content":"negative"},"done":true}"#,
        r#"{"accuracy":50.0,"details":{"1":{"pred":"positive","answer":"neutral","correct":false},"2":{"pred":"negative","answer":"negative","correct":true}}}"#,
        // A chat, and a pipeline of transformers.
        r#"{"question_id":"1","messages":[{"role":"user","content":"negative?"},{"role":"assistant","content":"positive"}]}
           {"question_id":"2","output":[{"generated_text":"negative"}]}"#,
        r#"{"question_id":1,"choices":[{"index":0,"turns":["neutral","positive"]}]}
           {"id":2,"conversations":[{"from":"human","value":"?"},{"from":"gpt","value":"negative"}]}"#,
        // Other models of Bedrock, and Ollama.
        r#"{"recordId":"1","modelOutput":{"output":{"message":{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"neutral"}}},{"text":"positive"}]}},"stopReason":"end_turn"}}
           {"recordId":"2","modelOutput":{"generation":"negative","prompt_token_count":9,"stop_reason":"stop"}}"#,
        r#"{"recordId":"1","modelOutput":{"inputTextTokenCount":9,"results":[{"tokenCount":1,"outputText":"positive","completionReason":"FINISH"}]}}
           {"id":2,"output":{"model":"m","response":"negative","done":true}}"#,
        // HELM, promptfoo, and OpenAI's script for many requests.
        r#"{"adapter_spec":{},"request_states":[
            {"instance":{"id":"1"},"request":{},"result":{"success":true,"completions":[{"text":"positive","logprob":0}]}},
            {"instance":{"id":"2"},"request":{},"result":{"success":true,"completions":[{"text":"negative","logprob":0}]}}]}"#,
        r#"{"version":3,"results":{"results":[
            {"id":"a7","testIdx":0,"vars":{"id":1},"response":{"output":"positive","tokenUsage":{"total":9}},"success":true},
            {"id":"b8","testIdx":1,"vars":{"id":2},"response":{"output":"negative","tokenUsage":{"total":9}},"success":true}]}}"#,
        r#"[{"model":"m","messages":[{"role":"user","content":"?"}],"metadata":{"id":1}},{"id":"c","choices":[{"message":{"role":"assistant","content":"positive"}}]},{"id":1}]
           [{"model":"m","messages":[{"role":"user","content":"?"}],"metadata":{"id":2}},{"id":"c","choices":[{"message":{"role":"assistant","content":"negative"}}]}]"#,
        // The right answer beside the model's, by names of other programs.
        r#"{"id":1,"answer":"neutral","raw_response":"positive"}
           {"questionId":2,"answer":"neutral","modelAnswer":"negative"}"#,
        r#"[{"id":1,"text":"positive"},{"id":2,"reasoning":"neutral","content":"negative"}]"#,
        // What Python and jq write: NaN, single quotes, objects over several lines, commas.
        r#"[{"id":1,"prediction":"positive","score":NaN},{"id":2,"prediction":"negative"},]"#,
        "{'id': 1, 'prediction': 'positive', 'gold': None}\n{'id': 2, 'prediction': 'negative'}\n",
        "{\n  \"id\": 1,\n  \"answer\": \"positive\"\n}\n{\n  \"id\": 2,\n  \"answer\": \"negative\"\n}\n",
        "{\"id\":1,\"answer\":\"positive\"},\n{\"id\":2,\"answer\":\"negative\"}\n",
    ] {
        gives(file, &TWO);
    }
    // Without identifiers: a pipeline of transformers, its chats, and DeepEval.
    for file in [
        r#"[[{"generated_text":"positive"}],[{"generated_text":"negative"}]]"#,
        "[{\"generated_text\":\"positive\"}]\n[{\"generated_text\":\"negative\"}]\n",
        r#"[[{"generated_text":[{"role":"user","content":"?"},{"role":"assistant","content":"positive"}]}],[{"generated_text":[{"role":"user","content":"?"},{"role":"assistant","content":"negative"}]}]]"#,
        r#"{"score":1.0,"convos":[[{"role":"user","content":"?"},{"role":"assistant","content":"positive"}],[{"role":"user","content":"?"},{"role":"assistant","content":"negative"}]]}"#,
        r#"{"testCases":[{"name":"a","input":"?","actualOutput":"positive"},{"name":"b","input":"?","actualOutput":"negative"}]}"#,
        r#"{"name":"b","examples":[{"input":"?","target":"neutral","prediction":"positive"},{"input":"?","target":"neutral","prediction":"negative"}]}"#,
    ] {
        gives(file, &[("0", "positive"), ("1", "negative")]);
    }
    // Several replies to one item.
    let twice = [("1", "positive"), ("1", "neutral")];
    for file in [
        r#"{"doc_id":1,"resps":[["positive","neutral"]],"filtered_resps":["positive","neutral"]}"#,
        r#"[{"id":1,"responses":["positive","neutral"]}]"#,
        r#"[{"id":1,"outputs":[{"index":0,"text":"positive"},{"index":1,"text":"neutral"}]}]"#,
    ] {
        gives(file, &twice);
    }
    // What is an answer in JSON stays JSON.
    gives(
        r#"{"id": 1, "prediction": {"final_answer": 3, "type": "number"}}"#,
        &[("1", r#"{"final_answer":3,"type":"number"}"#)],
    );
    gives(
        r#"[{"id": 1, "prediction": ["A", "C"]}]"#,
        &[("1", r#"["A","C"]"#)],
    );
    let none = read(b"{\"1\": null}");
    assert_eq!(none, [("1".to_owned(), None)]);
    // A message without text is an empty reply, which is not the same as none.
    for body in [
        r#"{"choices":[],"usage":{"total_tokens":9}}"#,
        r#"{"output":[{"type":"reasoning","summary":[]}],"status":"incomplete"}"#,
        r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#,
    ] {
        let line = format!(r#"{{"custom_id":"1","response":{{"status_code":200,"body":{body}}}}}"#);
        gives(line, &[("1", "")]);
    }
    gives(
        r#"{"custom_id":"1","response":{"status_code":200,"body":{"choices":[{"message":{"role":"assistant","content":null,"refusal":"no"}}]}}}"#,
        &[("1", "")],
    );
}

#[test]
fn failed_requests_are_errors_of_the_provider() {
    let lines = r#"{"custom_id":"1","response":{"status_code":429,"body":{"error":{"code":"rate_limit_exceeded","message":"slow down"}}},"error":null}
        {"custom_id":"2","response":null,"error":{"code":"batch_expired","message":"too late"}}
        {"custom_id":"3","result":{"type":"errored","error":{"type":"error","error":{"type":"overloaded_error","message":"busy"}}}}
        {"custom_id":"4","result":{"type":"expired"}}
        {"id":5,"response":"","error":"429 Too Many Requests"}
        {"id":6,"error":"timed out"}
        {"id":7,"epoch":1,"output":{"choices":[],"completion":""},"error":{"message":"timed out","traceback":"-"}}
        {"recordId":"8","modelInput":{},"error":{"errorCode":400,"errorMessage":"bad"}}"#;
    let task: Task = "FPB".parse().unwrap();
    let items: Vec<Item> = (1..9)
        .map(|id| Item::new(id.to_string(), "?", Gold::Text("positive".to_owned())))
        .collect();
    let answers = load::predictions(lines.as_bytes()).unwrap().records;
    let report = score_set(
        task,
        &items,
        &answers,
        &mut Grader::new(Settings::default()),
    );
    assert_eq!(report.count(AnswerOutcome::ProviderError), 8, "{answers:?}");
    assert_eq!(
        answers[0].reply.as_deref(),
        Some("Error_rate_limit_exceeded: slow down")
    );
}

#[test]
fn what_cannot_be_read_is_refused_by_name() {
    let zip = b"PK\x03\x04....xl/workbook.xml";
    let log = b"PK\x03\x04....header.json";
    for file in [
        zip.as_slice(),
        log,
        b"\x1f\x8b\x08",
        b"PAR1....",
        b"\xd0\xcf\x11\xe0\xa1\xb1",
        b"\x80\x04\x95",
        b"BZh91AY",
        b"\xfd7zXZ\x00",
        b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
        b"<!DOCTYPE html><html></html>",
        br#"{"custom_id":"1","method":"POST","url":"/v1/chat/completions","body":{"model":"m","messages":[]},"response":""}"#,
        br#"{"doc_id":1,"resps":[[["-1.2","False"]],[["-0.2","True"]]]}"#,
        br#"{"version":2,"status":"success","eval":{},"results":null}"#,
        br#"{"results":{"t":{"acc":1}},"configs":{},"versions":{}}"#,
    ] {
        let fault = load::predictions(file).unwrap_err();
        assert!(matches!(fault, LoadError::OtherFormat { .. }), "{fault}");
    }
    // The columns and fields that are there are named.
    for file in [
        "id;label\n1;positive\n",
        "id,label\n",
        "label\n",
        "{\"id\": 1, \"label\": \"positive\"}",
    ] {
        let fault = load::predictions(file.as_bytes()).unwrap_err().to_string();
        assert!(fault.contains("`label`"), "{fault}");
    }
}

fn items(ids: &[&str]) -> Vec<Item> {
    ids.iter()
        .map(|id| Item::new(*id, "?", Gold::Text("positive".to_owned())))
        .collect()
}

fn join(items: &[Item], ids: &[&str]) -> (usize, usize, usize, Option<JoinCause>) {
    let answers: Vec<_> = ids
        .iter()
        .map(|id| Prediction::new(*id, Some("positive".to_owned())))
        .collect();
    let join = Join::of("FPB".parse().unwrap(), items, &answers);
    assert_eq!(join.check().is_ok(), join.matched > 0);
    (join.matched, join.unmatched, join.repeated, join.cause)
}

#[test]
fn identifiers_that_mean_the_same_are_joined_and_others_have_a_cause() {
    let three = items(&["1", "2", "3"]);
    assert_eq!(join(&three, &["1.0", "2.00", "3"]), (3, 0, 0, None));
    assert_eq!(join(&three, &[" 1 ", "application/FPB:2"]), (2, 0, 0, None));
    assert_eq!(join(&three, &["1", "1.0"]), (1, 0, 1, None));
    assert_eq!(
        join(&three, &["001", "002"]),
        (0, 2, 0, Some(JoinCause::Zeros))
    );
    assert_eq!(
        join(&three, &["01.0", "3"]),
        (1, 1, 0, Some(JoinCause::Zeros))
    );
    assert_eq!(join(&three, &["0", "1", "2"]), (3, 0, 0, None));
    assert_eq!(join(&three, &["x", "y"]), (0, 2, 0, None));
    assert_eq!(join(&three, &[]), (0, 0, 0, None));
    assert_eq!(join(&three, &["1,0", "2,0"]), (2, 0, 0, None));
    assert_eq!(join(&three, &["1,000"]), (0, 1, 0, None));
    for ids in [["Q1", "Q2"], ["request-1", "request-2"], ["x.01", "x.02"]] {
        assert_eq!(join(&three, &ids), (0, 2, 0, Some(JoinCause::Affixed)));
    }
    let long = items(&["202400000001", "202400000002"]);
    let rounded = Some(JoinCause::Rounded);
    assert_eq!(join(&long, &["2.024E+11", "2,024E+11"]), (0, 2, 0, rounded));
    // An exact identifier comes before one that means the same.
    let both = items(&["1.0", "1"]);
    assert_eq!(join(&both, &["1", "1.0"]), (2, 0, 0, None));
    let sections = items(&["1.1", "1.10"]);
    assert_eq!(join(&sections, &["1.10"]), (1, 0, 0, None));
    assert_eq!(
        join(&items(&["Q1"]), &["q1"]),
        (0, 1, 0, Some(JoinCause::Case))
    );
}

#[test]
fn answers_without_identifiers_are_joined_by_their_order_or_not_at_all() {
    let task: Task = "FPB".parse().unwrap();
    let three = items(&["1", "2", "3"]);
    let answers = load::predictions(br#"["a", "b", "c"]"#).unwrap().records;
    let joined = Join::of(task, &three, &answers);
    assert!(joined.by_order);
    let order: Vec<_> = joined
        .answers
        .iter()
        .map(|one| one.unwrap().reply.as_deref().unwrap())
        .collect();
    assert_eq!(order, ["a", "b", "c"]);
    let joined = Join::of(task, &three, &answers[..2]);
    assert_eq!(
        (joined.matched, joined.cause),
        (0, Some(JoinCause::NoIdentifiers))
    );
    // Sets without identifiers: both are places.
    let places = items(&["0", "1", "2"]);
    let joined = Join::of(task, &places, &answers[..2]);
    assert_eq!((joined.matched, joined.by_order), (2, false));
}

const LABELS: [&str; 6] = [
    "positive", "negative", "neutral", "positive", "neutral", "negative",
];

fn labelled() -> Vec<Item> {
    let items = (1..).zip(LABELS);
    items
        .map(|(id, label)| Item::new(id.to_string(), "Rates rise.", Gold::Text(label.to_owned())))
        .collect()
}

/// A table of columns, each with its name and its cells.
fn columns(columns: &[(&str, [&str; 6])]) -> String {
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let mut text = format!("id,{}\n", names.join(","));
    for row in 0..6 {
        let cells: Vec<&str> = columns.iter().map(|(_, cells)| cells[row]).collect();
        text += &format!("{},{}\n", row + 1, cells.join(","));
    }
    text
}

fn answers(task: &str, items: &[Item], file: &str) -> Result<load::Answers, LoadError> {
    score::answers(task.parse().unwrap(), items, file.as_bytes())
}

#[test]
fn the_right_answers_are_not_read_as_replies() {
    let items = labelled();
    let wrong = ["negative"; 6];
    for name in [
        "predicted_label",
        "pred_label",
        "y_pred",
        "y_hat",
        "model_label",
        "gpt4",
        "result",
        "final",
        "verdict",
        "choice",
        "extracted",
        "prediction_1",
        "pred_0",
        "hypothesis",
        "pred_answer",
        "label_pred",
        "predLabel",
        "claude",
        "sentiment",
        "class",
        "guess",
        "output_label",
        "Predicted Class",
        "my_answer",
    ] {
        for gold in ["answer", "Answer", "output", "final_answer"] {
            for file in [
                columns(&[(gold, LABELS), (name, wrong)]),
                columns(&[(name, wrong), (gold, LABELS), ("latency_ms", ["3"; 6])]),
            ] {
                let found = answers("FPB", &items, &file).unwrap_or_else(|e| panic!("{name}: {e}"));
                assert_eq!(found.fields, [name], "{file}");
                assert_eq!(found.records[0].reply.as_deref(), Some("negative"));
            }
        }
    }
    let lines: String = (1..)
        .zip(LABELS)
        .map(|(id, label)| {
            format!("{{\"id\":{id},\"answer\":\"{label}\",\"verdict\":\"neutral\"}}\n")
        })
        .collect();
    let found = answers("FPB", &items, &lines).unwrap();
    assert_eq!(
        (found.fields[0].as_str(), found.set_aside.as_deref()),
        ("verdict", Some("answer"))
    );
    // The question is not a reply either.
    let file = columns(&[("text", ["Rates rise."; 6]), ("guess_1", wrong)]);
    assert_eq!(answers("FPB", &items, &file).unwrap().fields, ["guess_1"]);
}

#[test]
fn an_answer_beside_other_fields_is_the_reply() {
    let items = labelled();
    let mut nearly = LABELS;
    nearly[5] = "positive";
    for (answer, name, cells) in [
        (nearly, "label", LABELS),
        (nearly, "sentiment", LABELS),
        (LABELS, "latency", ["3"; 6]),
        (LABELS, "model", ["gpt-4"; 6]),
        (LABELS, "explanation", ["sounds negative"; 6]),
        (LABELS, "response_time", ["3"; 6]),
        (LABELS, "pred_correct", ["1"; 6]),
    ] {
        let file = columns(&[("answer", answer), (name, cells)]);
        let found = answers("FPB", &items, &file).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(
            (found.fields, found.set_aside),
            (vec!["answer".to_owned()], None),
            "{file}"
        );
    }
}

#[test]
fn several_fields_that_could_be_the_replies_are_refused_by_name() {
    let items = labelled();
    for (file, names) in [
        (
            columns(&[("pred_0", LABELS), ("pred_1", LABELS)]),
            ["pred_0", "pred_1"],
        ),
        (
            columns(&[
                ("answer", LABELS),
                ("gpt4", ["negative"; 6]),
                ("llama", ["neutral"; 6]),
            ]),
            ["gpt4", "llama"],
        ),
    ] {
        let fault = answers("FPB", &items, &file).unwrap_err();
        let LoadError::SeveralReplies { names: found, .. } = fault else {
            panic!("{fault}")
        };
        assert!(
            names
                .iter()
                .all(|name| found.iter().any(|found| found == name)),
            "{found:?}"
        );
    }
}

/// Each of them would be a reading of the file.
#[test]
fn a_record_of_thousands_of_fields_is_refused_in_time() {
    let fields = |name: &str| -> String {
        let fields = (0..5_000).map(|at| format!(",\"{name}{at}q\":\"t\""));
        format!(
            "{{\"id\":1,\"answer\":\"positive\"{}}}",
            fields.collect::<String>()
        )
    };
    let began = std::time::Instant::now();
    let fault = answers("FPB", &labelled()[..1], &fields("k")).unwrap_err();
    let LoadError::SeveralReplies { names, more } = fault else {
        panic!("{fault}")
    };
    assert!(names.len() < 10 && names[0] == "answer", "{names:?}");
    assert_eq!(names.len() + more, 5_001);
    // Fields about a reply are none of those that could be it.
    let found = answers("FPB", &labelled()[..1], &fields("score_")).unwrap();
    assert_eq!(found.fields, ["answer"]);
    assert!(began.elapsed().as_secs() < 10, "{:?}", began.elapsed());
}

#[test]
fn a_list_is_one_answer_where_answers_are_lists() {
    let item = [Item::new(
        "1",
        "In which years?",
        Gold::Text("2019\n2018".to_owned()),
    )];
    for file in [
        r#"{"id": 1, "prediction": ["2019", "2018"]}"#,
        r#"[{"id": 1, "predictions": ["2019", "2018"]}]"#,
        r#"{"id": 1, "answer": [2019, 2018]}"#,
        r#"{"1": ["2019", "2018"]}"#,
    ] {
        let task: Task = "application/TATQA".parse().unwrap();
        let found = score::answers(task, &item, file.as_bytes())
            .unwrap()
            .records;
        assert_eq!(found.len(), 1, "{file}");
        let report = score_set(task, &item, &found, &mut Grader::new(Settings::default()));
        assert_eq!(report.count(AnswerOutcome::Right), 1, "{file}: {found:?}");
    }
    // Several replies to an item of another task.
    let several = r#"[{"id": 1, "predictions": ["positive", "negative"]}]"#;
    assert_eq!(
        answers("FPB", &labelled(), several).unwrap().records.len(),
        2
    );
}

#[test]
fn the_places_of_lm_evaluation_harness_are_those_of_the_file() {
    let items = labelled();
    let task: Task = "FPB".parse().unwrap();
    for places in [0..6, 0..2, 1..4, 5..6] {
        let lines: String = places
            .clone()
            .map(|place| {
                let label = LABELS[place];
                format!(
                    "{{\"doc_id\":{place},\"doc\":{{\"q\":\"x\"}},\"resps\":[[\"{label}\"]]}}\n"
                )
            })
            .collect();
        let found = score::answers(task, &items, lines.as_bytes())
            .unwrap()
            .records;
        let report = score_set(task, &items, &found, &mut Grader::new(Settings::default()));
        assert_eq!(
            report.count(AnswerOutcome::Right),
            places.len(),
            "{places:?}"
        );
        assert!(report.by_place);
        // Beside the right answers of the items with these identifiers, `doc_id` is one.
        let lines: String = places
            .clone()
            .map(|place| {
                let (id, label) = (place + 1, LABELS[place]);
                let reply = format!("\"resps\":[[\"{label}\"]]");
                format!(
                    "{{\"doc_id\":{id},\"doc\":{{\"q\":\"x\"}},\"target\":\"{label}\",{reply}}}\n"
                )
            })
            .collect();
        let found = score::answers(task, &items, lines.as_bytes())
            .unwrap()
            .records;
        let report = score_set(task, &items, &found, &mut Grader::new(Settings::default()));
        assert_eq!(report.count(AnswerOutcome::Right), places.len());
        assert!(!report.by_place);
    }
}

/// The number that is added, `None` where it is not certain.
fn shift(items: &[&str], answers: &[&str]) -> Option<i64> {
    let items = self::items(items);
    let answers: Vec<_> = answers
        .iter()
        .map(|id| Prediction::new(*id, None))
        .collect();
    let join = Join::of("FPB".parse().unwrap(), &items, &answers);
    join.check().is_ok().then_some(join.shift)
}

#[test]
fn identifiers_counted_from_another_number_are_joined_where_that_is_certain() {
    let from_one = ["1", "2", "3", "4"];
    let from_zero = ["0", "1", "2", "3"];
    for (items, answers, want) in [
        (from_one, &["0", "1", "2", "3"][..], Some(1)),
        (from_one, &["0", "1"][..], Some(1)),
        (from_one, &["3", "0"][..], Some(1)),
        (from_one, &["0.0", "1.0"][..], Some(1)),
        (from_one, &["1", "2", "3", "4"][..], Some(0)),
        (from_one, &["2", "3"][..], Some(0)),
        (from_one, &["0", "1", "2", "3", "4"][..], None),
        (from_zero, &["1", "2", "3", "4"][..], Some(-1)),
        (from_zero, &["2", "4"][..], Some(-1)),
        (from_zero, &["0", "1", "2", "3"][..], Some(0)),
        (from_zero, &["2", "3"][..], Some(0)),
        (from_zero, &["1", "2", "3"][..], None),
        (from_zero, &["1", "2", "4", "9"][..], None),
    ] {
        assert_eq!(shift(&items, answers), want, "{answers:?} to {items:?}");
    }
}

#[test]
fn broken_tables_are_an_error_with_their_line() {
    for (file, line) in [
        ("id,prediction\n1,positive\n2,\"negative\n3,neutral\n", 3),
        (
            "id\tprediction\n1\tpositive\n2\t\"negative\n3\tneutral\n",
            3,
        ),
        ("id;prediction\n1;\"positive\n2;negative\n", 2),
        (
            "id,prediction\n1,positive\n2,\"negative\n3,neutral\n4,\"positive\n",
            3,
        ),
        ("id,prediction\n1,positive\n2,\"negative\" I think\n", 3),
        ("id\tprediction\n1\t\"negative\" I think\n", 2),
        // Two columns of one name.
        ("id,answer,answer\n1,positive,negative\n", 1),
        ("\n\nid; answer ;answer\n1;positive;negative\n", 3),
    ] {
        let fault = load::predictions(file.as_bytes()).unwrap_err();
        let LoadError::BadTable { line: found, .. } = fault else {
            panic!("{file}: {fault}")
        };
        assert_eq!(found, line, "{file}");
    }
    for file in [
        "id,prediction\n1,\"positive\" \n2,\"negative\"\n",
        "id\tprediction\n1\tpositive\n2\tnegative\n",
        "| id | prediction |\n|---|---|\n| 1 | positive |\n| 2 | negative |\n",
    ] {
        assert_eq!(read(file.as_bytes()).len(), 2, "{file}");
    }
}

#[test]
fn messages_say_what_a_person_sees() {
    for file in [
        "{\"id\":1,\"prediction\":\"a\"}\n{\"id\":2,\"prediction\":\"b",
        "{\"id\":1,\"prediction\":\"a\"}\nnot json at all\n",
        "[",
        "{]",
    ] {
        let fault = load::predictions(file.as_bytes()).unwrap_err().to_string();
        for word in [
            "EOF",
            "expected ident",
            "expected value",
            "column 0",
            "parsing",
        ] {
            assert!(!fault.contains(word), "{fault}");
        }
    }
}
