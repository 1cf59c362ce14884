//! The six record forms, on small records of our own.

use enterprise_sandbox::tasks::records::{RecordForm, read_records};
use serde_json::json;

#[test]
fn all_six_forms_are_read() {
    let log = json!({"timestamp": "2025-01-01", "messages": [
        {"role": "system", "content": "tools"}, {"role": "user", "content": "Who is Ada?"},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "type": "function",
            "function": {"name": "fetch_employee_record", "arguments": {"Name": "Ada Berg"}}}]},
        {"role": "tool", "name": "fetch_employee_record", "tool_call_id": "c1", "content": "emp_1"},
        {"role": "assistant", "content": "Ada is emp_1."}]});
    let generated = json!({"emp_id": "emp_7", "task": "Find it", "ground_truth": "x", "subtasks": [
        {"subtask": "look", "tools": [{"tool_name": "get_product",
            "tool_arguments": {"product_id": "P"}, "tool_output": "found"}]}]});
    let prompt = json!({"task": "Plan it", "ground_truth": "y", "dependency_graph": "1->2; 1,2->3",
        "subtasks": [
            {"subgoal": "a", "question": "qa", "subtask_ground_truth": "ta", "thinking_trace": "",
             "data source": "Sales"},
            {"subgoal": "b", "question": "qb", "subtask_ground_truth": "tb", "data source": "HR"},
            {"subgoal": "c", "question": "qc", "subtask_ground_truth": "tc", "data source": "HR"}]});
    let evaluated = json!({"emp_id": "emp_9", "task": "Judge it", "ground_truth": "z",
        "apps": ["CRM"], "errors": [], "answer": "z",
        "evaluation": {"document_match_score": 0.5, "feedback": "half"},
        "chosen_tools": {"2": {"name": "second", "parameters": {}}, "1": {"name": "first",
            "parameters": {"a": 1}}}, "tool_outputs": {"first": "out"},
        "subtasks": [{"id": 4, "subgoal": "s", "question": "q", "thinking_trace": ""}]});
    let crud = json!({"task": "Write it", "api_call": "create_product(x)",
        "operation_type": "create", "data_sources": ["Products"], "ground_truth": "made",
        "subgoals": [{"subgoal": "s", "operation": "create", "expected_outcome": "there",
            "data source": "Products", "thinking_trace": ""}]});
    let points = json!({"task_id": "T1", "instruction": "Do it", "domain": "it",
        "difficulty": "HARD", "required_tools": ["x"], "ground_truth": "done",
        "reward_checkpoints": [{"step": 1, "tool": "assign_ticket", "input_bindings": {"id": "5"},
            "must_succeed": true, "expected_output_parsed": {"ok": true}}]});
    let all = [log, generated, prompt, evaluated, crud, points];
    let lines: Vec<String> = all.iter().map(ToString::to_string).collect();
    let read = read_records(&lines.join("\n")).unwrap();
    assert_eq!(read, read_records(&json!(all).to_string()).unwrap());
    let forms: Vec<RecordForm> = read.iter().map(|r| r.form).collect();
    assert_eq!(
        forms,
        [
            RecordForm::MessageLog,
            RecordForm::Generator,
            RecordForm::Prompt,
            RecordForm::Evaluation,
            RecordForm::Crud,
            RecordForm::Checkpoint
        ]
    );
    assert_eq!(read[0].instruction, "Who is Ada?");
    assert_eq!(read[0].ground_truth, "Ada is emp_1.");
    assert_eq!(read[0].calls[0].arguments["Name"], "Ada Berg");
    assert_eq!(read[0].calls[0].output, Some(json!("emp_1")));
    assert_eq!(read[1].calls[0].output, Some(json!("found")));
    assert_eq!(read[2].subtasks[2].depends_on, [1, 2]);
    assert_eq!(read[2].subtasks[0].source, "Sales");
    assert_eq!(read[3].calls[0].tool, "first");
    assert_eq!((read[3].score, read[3].subtasks[0].id), (Some(0.5), 4));
    assert_eq!(read[4].calls[0].tool, "create_product");
    assert_eq!(read[4].subtasks[0].ground_truth, "there");
    assert_eq!(read[5].id.as_deref(), Some("T1"));
    assert_eq!(read[5].calls[0].arguments["id"], "5");
}

#[test]
fn unknown_records_are_named() {
    for (text, said) in [
        ("[{\"a\": 1}]", "none of the known forms"),
        ("[3]", "not a JSON object"),
        ("{\"messages\": []}", "lacks `task`"),
        ("{\"task\": \"x\"\nbroken", "not a JSON object"),
        ("[\n{\"task\": \"x\"}\n{\"task\": \"y\"}]", "at line 3"),
    ] {
        let error = read_records(text).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn arguments_that_are_no_json_are_kept() {
    let record = json!({"task": "x", "api_call": {"name": "find", "arguments": "id=5"}});
    let read = read_records(&record.to_string()).unwrap();
    assert_eq!(read[0].calls[0].arguments, "id=5");
}
