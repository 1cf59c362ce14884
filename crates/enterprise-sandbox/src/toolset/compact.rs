//! The compact tool set: the 46 tools of the paper's table 8, 12 that the data and the goal
//! templates need, `answer`, and the distractors.
//!
//! The twelve additions: customers (read, create, update), clients and vendors (read, update each),
//! order documents, resumes, `whoami`, `explain_access` and `refuse`. Without the first nine, part
//! of the published data could be reached by no tool. `answer` and `refuse` end a task and come
//! last in the list that an agent gets.
//!
//! Descriptions are short and say what the tool shows or writes, in the second person, because the
//! caller is the persona.

use super::ArgBinding::{
    Arguments, Change, Changes, Class, CodeKind, Cursor, Facts, Field, Fields, Filter, IssueId,
    IssueStatus, Key, Limit, NewId, Path, Prompt, Query, RecipientEmail, Repo, Same, Section, Text,
    Tokens, Tool, TopK, Unused, Version,
};
use super::Filter::{From, Has, Link, NameOf, Participant, Prefix, Same as Says, To, Wildcard};
use super::{Arg, OfficeTool, Op, arg, must, tool};
use crate::source::{TableId, Write};

pub(super) const QUERY: Arg = arg("query", Query, "words to search for, best match first");
pub(super) const LIMIT: Arg = arg("limit", Limit, "page size, 1 to 200 (default 20)");
pub(super) const CURSOR: Arg = arg("cursor", Cursor, "next_cursor of the previous page");
pub(super) const VERSION: Arg = arg(
    "expected_version",
    Version,
    "refuse the write when the record has moved on",
);

/// A tool for repositories, files and issues: `kind` or the other arguments say which.
const fn code(name: &'static str, op: Op, about: &'static str, args: &'static [Arg]) -> OfficeTool {
    OfficeTool {
        code: true,
        ..tool(name, op, TableId::Repositories, about, args)
    }
}

/// The names of the fields of these tables that may change, in their order, and how many there are. At most
/// `MOST` are kept.
#[expect(
    clippy::indexing_slicing,
    reason = "runs at compile time, where it cannot panic unseen"
)]
const fn changeable<const MOST: usize>(tables: &[TableId]) -> ([&'static str; MOST], usize) {
    let (mut names, mut count) = ([""; MOST], 0);
    let mut table = 0;
    while table < tables.len() {
        let fields = tables[table].table().fields;
        let mut at = 0;
        while at < fields.len() {
            if matches!(fields[at].write, Write::Change) {
                if count < MOST {
                    names[count] = fields[at].name;
                }
                count += 1;
            }
            at += 1;
        }
        table += 1;
    }
    (names, count)
}

/// The argument with the new values: any fields of a table that may change.
macro_rules! changes {
    ($($table:expr),+) => {
        must(
            "changes",
            Changes(&changeable::<{ changeable::<0>(&[$($table),+]).1 }>(&[$($table),+]).0),
            "field: new value",
        )
    };
}

const E: TableId = TableId::Employees;
const M: TableId = TableId::Emails;
const T: TableId = TableId::Conversations;
const P: TableId = TableId::Products;
const R: TableId = TableId::Reviews;
const S: TableId = TableId::Sales;
const C: TableId = TableId::SupportChats;
const I: TableId = TableId::Tickets;
const B: TableId = TableId::Posts;
const O: TableId = TableId::Overflow;

/// All tools of the compact tool set.
///
/// The order is that of the paper's table, then the additions. [`menu`](crate::menu::menu())
/// numbers follow it.
#[rustfmt::skip]
pub const COMPACT: &[OfficeTool] = &[
    tool("employee_data_read", Op::Read, E, "Find employees by id, exact name, address, department or words. Shows the directory view; other fields on request, where you may see them.", &[
        arg("emp_id", Key, "employee id"), arg("name", Filter(Says("Name")), "full name"),
        arg("email", Filter(Says("email")), "work address"),
        arg("category", Filter(Says("category")), "department"),
        arg("fields", Fields, "fields to show (default: the directory view)"), QUERY, LIMIT, CURSOR,
    ]),
    tool("employee_data_create", Op::Create, E, "Register a new employee.", &[
        arg("emp_id", NewId, "allocated when left out"), must("Name", Field("Name"), "full name"),
        arg("email", Field("email"), "default first.last at the company's domain"),
        must("category", Field("category"), "department"),
        must("Level", Field("Level"), "department prefix and 09, 10, 12, 13 or 14"),
        arg("reports_to", Field("reports_to"), "manager's id: same department, no lower level"),
        arg("Salary", Field("Salary"), "yearly pay, whole units"),
        arg("skills", Field("skills"), "list of skills"),
        arg("Experience", Field("Experience"), "short work history"),
        arg("description", Field("description"), "short profile"),
        arg("DOJ", Field("DOJ"), "joining date (default today)"), arg("Age", Field("Age"), "18 to 70"),
        arg("Gender", Field("Gender"), ""), arg("Marital Status", Field("Marital Status"), ""),
        arg("Performance Rating", Field("Performance Rating"), "1 to 5"),
        arg("Total Casual Leaves", Field("Total Casual Leaves"), "default 8"),
        arg("Total Sick Leaves", Field("Total Sick Leaves"), "default 10"),
        arg("Total Vacation Leaves", Field("Total Vacation Leaves"), "default 15"),
    ]),
    tool("employee_data_update", Op::Update, E, "Change fields of an employee's record.", &[
        must("emp_id", Key, "whose record"), changes!(E), VERSION,
    ]),
    tool("employee_data_delete", Op::Delete, E, "Deactivate an employee; the record stays with a leaving date, reports go to the manager above.", &[
        must("emp_id", Key, "who"), arg("DOL", Field("DOL"), "leaving date (default today)"),
    ]),
    tool("enterprise_mail_system_read", Op::Read, M, "Read your mails by id, thread, counterpart, dates or words; newest first.", &[
        arg("email_id", Key, "mail id"), arg("thread_id", Filter(Link("thread_id")), "thread id"),
        arg("sender_email", Filter(Says("sender_email")), "sender's address"),
        arg("recipient_email", Filter(Says("recipient_email")), "recipient's address"),
        arg("start_date", Filter(From("date")), "first day"), arg("end_date", Filter(To("date")), "last day"),
        arg("importance", Filter(Says("importance")), "Normal or High"), QUERY, LIMIT, CURSOR,
    ]),
    tool("enterprise_mail_system_create", Op::Create, M, "Send a mail in your name, in a new thread or as a reply.", &[
        arg("recipient_email", RecipientEmail, "this or recipient_emp_id"),
        arg("recipient_emp_id", Field("recipient_emp_id"), "preferred: no two people share it"),
        must("subject", Field("subject"), ""), must("body", Field("body"), ""),
        arg("thread_id", Field("thread_id"), "reply in this thread"),
        arg("importance", Field("importance"), "default Normal"),
        arg("category", Field("category"), "default INTERNAL"), arg("date", Field("date"), "default now"),
    ]),
    tool("enterprise_mail_system_update", Op::Update, M, "Edit a mail that you sent.", &[
        must("email_id", Key, "mail id"),
        changes!(M),
        VERSION,
    ]),
    tool("enterprise_mail_system_delete", Op::Delete, M, "Remove a mail from your mailbox.", &[
        must("email_id", Key, "mail id"), arg("thread_id", Same("thread_id"), "checked against the mail"),
    ]),
    tool("conversations_create", Op::Create, T, "Start a conversation with a colleague.", &[
        must("recipient_emp_id", Field("recipient_emp_id"), "the colleague"),
        must("text", Field("text"), "what you say"), arg("conversation_id", NewId, "allocated when left out"),
        arg("date", Field("date"), "default today"),
    ]),
    tool("conversations_read", Op::Read, T, "Read your conversations by id, counterpart, dates or words; newest first.", &[
        arg("conversation_id", Key, "conversation id"),
        arg("with_emp_id", Filter(Participant), "the other participant"),
        arg("start_date", Filter(From("date")), "first day"), arg("end_date", Filter(To("date")), "last day"),
        QUERY, LIMIT, CURSOR,
    ]),
    tool("conversations_update", Op::Update, T, "Change the text of a conversation that you began.", &[
        must("conversation_id", Key, "conversation id"), must("text", Change("text"), "new text"), VERSION,
    ]),
    tool("conversations_delete", Op::Delete, T, "Delete a conversation that you began.", &[
        must("conversation_id", Key, "conversation id"),
    ]),
    code("github_read", Op::Read, "List repositories, or read a repository, a file (repo_name and path) or issues (issue_id, or issue_status with or without repo_name).", &[
        arg("repo_name", Repo, "repository, as owner/name"), arg("path", Path, "file inside the repository"),
        arg("issue_id", IssueId, "issue"),
        arg("owner_emp_id", Filter(Link("emp_id")), "repositories of this owner"),
        arg("license", Filter(Says("license")), "repositories under this licence"),
        arg("issue_status", IssueStatus, "open or closed: lists issues"), QUERY, LIMIT, CURSOR,
    ]),
    code("github_create", Op::Create, "Create a repository, a file or an issue.", &[
        must("kind", CodeKind, "repository, file or issue"),
        must("repo_name", Repo, "repository, as owner/name"), arg("path", Path, "of a file"),
        arg("content", Field("content"), "of a file"),
        arg("license", Field("license"), "SPDX name, of a repository"),
        arg("title", Field("title"), "of an issue"), arg("description", Field("description"), "of an issue"),
        arg("status", Field("status"), "of an issue (default open)"),
    ]),
    code("github_update", Op::Update, "Change a repository's licence, a file's content, or an issue.", &[
        must("kind", CodeKind, "repository, file or issue"), must("repo_name", Repo, "repository"),
        arg("path", Path, "of the file"), arg("issue_id", IssueId, "the issue"),
        changes!(TableId::Repositories, TableId::Files, TableId::Issues), VERSION,
    ]),
    code("github_delete", Op::Delete, "Delete a repository with its files and issues, a file, or an issue.", &[
        must("kind", CodeKind, "repository, file or issue"), must("repo_name", Repo, "repository"),
        arg("path", Path, "of the file"), arg("issue_id", IssueId, "the issue"),
    ]),
    tool("products_create", Op::Create, P, "Add a product.", &[
        arg("product_id", NewId, "10 characters, allocated when left out"),
        must("product_name", Field("product_name"), ""),
        must("category", Field("category"), "path joined with |"),
        must("actual_price", Field("actual_price"), "list price"),
        must("discounted_price", Field("discounted_price"), "price asked, at most the list price"),
        arg("rating", Field("rating"), "0 to 5"), arg("about_product", Field("about_product"), "description"),
    ]),
    tool("products_read", Op::Read, P, "Find products by id, name, category or words.", &[
        arg("product_id", Key, "product id"),
        arg("product_name", Filter(Wildcard("product_name")), "exact name, or with * for anything"),
        arg("category", Filter(Prefix("category")), "beginning of the category path"), QUERY, LIMIT, CURSOR,
    ]),
    tool("products_update", Op::Update, P, "Change a product; the reply shows it before and after.", &[
        must("product_id", Key, "product id"), changes!(P), VERSION,
    ]),
    tool("products_delete", Op::Delete, P, "Remove a product.", &[must("product_id", Key, "product id")]),
    tool("product_sentiment_create", Op::Create, R, "Record a customer's review of a product.", &[
        must("product_id", Field("product_id"), ""),
        must("customer_id", Field("customer_id"), "must have bought the product"),
        must("review_content", Field("review_content"), ""),
        arg("review_date", Field("review_date"), "default today"),
        arg("sentiment_id", NewId, "allocated when left out"),
    ]),
    tool("product_sentiment_read", Op::Read, R, "Read reviews by product, customer, id or words; newest first.", &[
        arg("sentiment_id", Key, "review id"), arg("product_id", Filter(Link("product_id")), ""),
        arg("customer_id", Filter(Link("customer_id")), ""),
        arg("polarity", Filter(Says("polarity")), "positive, neutral or negative, where known"), QUERY, LIMIT,
        CURSOR,
    ]),
    tool("product_sentiment_update", Op::Update, R, "Change a review.", &[
        must("sentiment_id", Key, "review id"),
        changes!(R), VERSION,
    ]),
    tool("product_sentiment_delete", Op::Delete, R, "Delete a review.", &[
        must("sentiment_id", Key, "review id"),
    ]),
    tool("sales_create", Op::Create, S, "Record a sale; the discount is worked out.", &[
        must("product_id", Field("product_id"), ""), must("customer_id", Field("customer_id"), ""),
        arg("discounted_price", Field("discounted_price"), "default the product's price"),
        arg("date_of_purchase", Field("date_of_purchase"), "default today"),
        arg("sales_record_id", NewId, "allocated when left out"),
    ]),
    tool("sales_read", Op::Read, S, "Read sales by id, product, customer, dates or words; newest first.", &[
        arg("sales_record_id", Key, "sale id"), arg("product_id", Filter(Link("product_id")), ""),
        arg("product_name", Filter(NameOf("product_id", TableId::Products, "product_name")), "exact name"),
        arg("customer_id", Filter(Link("customer_id")), ""),
        arg("customer_name", Filter(NameOf("customer_id", TableId::Customers, "customer_name")), "exact name"),
        arg("start_date", Filter(From("date_of_purchase")), "first day"),
        arg("end_date", Filter(To("date_of_purchase")), "last day"), QUERY, LIMIT, CURSOR,
    ]),
    tool("sales_update", Op::Update, S, "Correct a sale.", &[
        must("sales_record_id", Key, "sale id"),
        must("changes", Changes(&["discounted_price", "date_of_purchase", "customer_id"]), "field: new value"),
        VERSION,
    ]),
    tool("sales_delete", Op::Delete, S, "Delete a sale.", &[must("sales_record_id", Key, "sale id")]),
    tool("customer_support_chats_create", Op::Create, C, "Open a support record for a customer and a product; you are its handler.", &[
        must("customer_id", Field("customer_id"), ""), must("product_id", Field("product_id"), ""),
        must("text", Field("text"), ""), arg("interaction_date", Field("interaction_date"), "default today"),
        arg("chat_id", NewId, "allocated when left out"),
    ]),
    tool("customer_support_chats_read", Op::Read, C, "Read support records by id, customer, product, handler, dates or words; newest first.", &[
        arg("chat_id", Key, "chat id"), arg("customer_id", Filter(Link("customer_id")), ""),
        arg("product_id", Filter(Link("product_id")), ""), arg("emp_id", Filter(Link("emp_id")), "handler"),
        arg("start_date", Filter(From("interaction_date")), "first day"),
        arg("end_date", Filter(To("interaction_date")), "last day"), QUERY, LIMIT, CURSOR,
    ]),
    tool("customer_support_chats_update", Op::Update, C, "Replace text or date of a support record that you handle.", &[
        must("chat_id", Key, "chat id"),
        must("changes", Changes(&["text", "interaction_date"]), "field: new value"), VERSION,
    ]),
    tool("customer_support_chats_delete", Op::Delete, C, "Delete a support record.", &[
        must("chat_id", Key, "chat id"),
    ]),
    tool("it_service_management_create_issue", Op::Create, I, "Raise a helpdesk ticket in your name.", &[
        must("Issue", Field("Issue"), "the problem"),
        must("priority", Field("priority"), "low, medium or high"),
        arg("emp_id", Field("emp_id"), "handler (default: the least busy one)"),
        arg("id", NewId, "allocated when left out"),
    ]),
    tool("it_service_management_read_issue", Op::Read, I, "Read tickets by id, raiser, handler, priority, dates or words; newest first.", &[
        arg("id", Key, "ticket id"),
        arg("raised_by_emp_id", Filter(Link("raised_by_emp_id")), "who raised it"),
        arg("emp_id", Filter(Link("emp_id")), "handler"),
        arg("priority", Filter(Says("priority")), "low, medium or high"),
        arg("start_date", Filter(From("assigned_date")), "first day"),
        arg("end_date", Filter(To("assigned_date")), "last day"), QUERY, LIMIT, CURSOR,
    ]),
    tool("it_service_management_update_issue", Op::Update, I, "Change priority, handler, text or resolution of a ticket.", &[
        must("id", Key, "ticket id"),
        must("changes", Changes(&["priority", "emp_id", "Issue", "Resolution", "assigned_date"]), "field: new value"),
        VERSION,
    ]),
    tool("it_service_management_delete_issue", Op::Delete, I, "Delete a ticket.", &[
        must("id", Key, "ticket id"),
    ]),
    tool("social_platform_create", Op::Create, B, "Publish a post or a comment.", &[
        must("Title", Field("Title"), ""), must("Post", Field("Post"), "text"),
        arg("parent_id", Field("parent_id"), "the post that it comments on"),
    ]),
    tool("social_platform_read", Op::Read, B, "Read posts by id, author or words; newest first.", &[
        arg("post_id", Key, "post id"), arg("emp_id", Filter(Link("emp_id")), "author"), QUERY, LIMIT, CURSOR,
    ]),
    tool("social_platform_update", Op::Update, B, "Edit a post of yours.", &[
        must("post_id", Key, "post id"), changes!(B),
        VERSION,
    ]),
    tool("social_platform_delete", Op::Delete, B, "Delete a post.", &[must("post_id", Key, "post id")]),
    tool("overflow_read", Op::Read, O, "Read questions and answers by id, author, tag, kind or words; newest first.", &[
        arg("id", Key, "post id"), arg("employee_id", Filter(Link("employee_id")), "author"),
        arg("tag", Filter(Has("Tags")), ""),
        arg("post_type", Filter(Says("post_type")), "question or answer"), QUERY, LIMIT, CURSOR,
    ]),
    tool("overflow_create", Op::Create, O, "Post a question or an answer.", &[
        must("post_type", Field("post_type"), "question or answer"),
        arg("Title", Field("Title"), "of a question"), must("Body", Field("Body"), ""),
        arg("Tags", Field("Tags"), "of a question"),
        arg("ParentId", Field("ParentId"), "question that an answer belongs to"),
        arg("id", NewId, "allocated when left out"),
    ]),
    tool("overflow_update", Op::Update, O, "Edit a post of yours, or accept an answer to your question.", &[
        must("id", Key, "post id"),
        changes!(O), VERSION,
    ]),
    tool("overflow_delete", Op::Delete, O, "Delete a post of yours; a question takes its answers along.", &[
        must("id", Key, "post id"),
    ]),
    tool("document_read", Op::Document, TableId::PolicyDocuments, "Find passages in the company's policies.", &[
        arg("document_id", Key, "one document"), arg("section", Section, "number or heading"),
        arg("query", Query, "words to search for"),
        arg("top_k", TopK, "number of passages, 1 to 10 (default 1)"),
    ]),
    tool("llm_call", Op::Model, TableId::PolicyDocuments, "Ask a general-purpose language model. It sees nothing of the office.", &[
        must("prompt", Prompt, ""), arg("max_tokens", Tokens, ""),
    ]),
    // Twelve tools that the published data and templates need and the inventory lacks.
    tool("customers_read", Op::Read, TableId::Customers, "Find customers by id, name or words.", &[
        arg("customer_id", Key, "customer id"),
        arg("customer_name", Filter(Says("customer_name")), "exact name"), QUERY, LIMIT, CURSOR,
    ]),
    tool("customers_create", Op::Create, TableId::Customers, "Register a new customer.", &[
        must("customer_name", Field("customer_name"), ""),
        arg("customer_id", NewId, "5 letters, allocated when left out"),
    ]),
    tool("customers_update", Op::Update, TableId::Customers, "Change a customer's name.", &[
        must("customer_id", Key, "customer id"),
        changes!(TableId::Customers), VERSION,
    ]),
    tool("clients_read", Op::Read, TableId::Clients, "Find business clients.", &[
        arg("client_id", Key, "client id"), arg("business_name", Filter(Says("business_name")), "exact name"),
        arg("industry", Filter(Says("industry")), ""),
        arg("POC_status", Filter(Says("POC_status")), "state of the trial"),
        arg("representative_emp_id", Filter(Link("business_representative_employee")), "our representative"),
        QUERY, LIMIT, CURSOR,
    ]),
    tool("clients_update", Op::Update, TableId::Clients, "Change a client's record.", &[
        must("client_id", Key, "client id"), changes!(TableId::Clients), VERSION,
    ]),
    tool("vendors_read", Op::Read, TableId::Vendors, "Find vendors.", &[
        arg("vendor_id", Key, "vendor id"), arg("business_name", Filter(Says("business_name")), "exact name"),
        arg("industry", Filter(Says("industry")), ""),
        arg("representative_emp_id", Filter(Link("management_representative_employee")), "our representative"),
        QUERY, LIMIT, CURSOR,
    ]),
    tool("vendors_update", Op::Update, TableId::Vendors, "Change a vendor's record.", &[
        must("vendor_id", Key, "vendor id"), changes!(TableId::Vendors), VERSION,
    ]),
    tool("order_document_read", Op::Read, TableId::OrderDocuments, "Read invoices, purchase orders and shipping orders.", &[
        arg("document_id", Key, "for example invoice_abcde"),
        arg("customer_id", Filter(Link("customer_id")), ""),
        arg("kind", Filter(Says("kind")), "invoice, purchase_order or shipping_order"), LIMIT, CURSOR,
    ]),
    tool("resume_read", Op::Read, TableId::Resumes, "Read resumes.", &[
        arg("resume_id", Key, "resume id"), arg("emp_id", Filter(Link("emp_id")), "whose"), QUERY, LIMIT,
        CURSOR,
    ]),
    tool("whoami", Op::WhoAmI, E, "Your id, name, department, level, manager, and today's date.", &[]),
    tool("explain_access", Op::Explain, E, "Says which rules decide about a call. Off in scored runs.", &[
        must("tool", Tool, "name of the tool"), must("arguments", Arguments, "its arguments"),
    ]),
    tool("refuse", Op::Refuse, E, "Ends the task: it cannot be done. denied: you may not; missing: there is no such thing; ambiguous: more than one thing fits.", &[
        must("class", Class, "denied, missing or ambiguous"), arg("reason", Text, "one sentence"),
    ]),
    tool("answer", Op::Answer, E, "Ends the task: it is done. Facts carry the values asked for, under the keys of the task.", &[
        must("text", Text, "the answer in words"), arg("facts", Facts, "key: value"),
    ]),
];

/// Tools of the compact tool set that the fine one lacks.
pub(super) fn is_extra(name: &str) -> bool {
    matches!(
        name,
        "document_read"
            | "customers_read"
            | "customers_create"
            | "customers_update"
            | "clients_read"
            | "clients_update"
            | "vendors_read"
            | "vendors_update"
            | "order_document_read"
            | "resume_read"
            | "whoami"
            | "explain_access"
            | "refuse"
            | "answer"
    )
}

const fn distractor(name: &'static str, about: &'static str) -> OfficeTool {
    const ARGS: &[Arg] = &[
        arg("query", Unused, "what you look for"),
        arg("id", Unused, ""),
    ];
    tool(name, Op::Distract, E, about, ARGS)
}

/// Plausible tools without a function: a setting of the experiment.
///
/// Twelve tools of systems that the office does not have. They accept anything and are refused as
/// unavailable, so they cost an agent steps and nothing else.
pub const DISTRACTORS: &[OfficeTool] = &[
    distractor("calendar_read", "Look up appointments."),
    distractor("calendar_create", "Enter an appointment."),
    distractor("room_booking_read", "Find free meeting rooms."),
    distractor("wiki_search", "Search the company wiki."),
    distractor("payroll_export", "Export payroll figures."),
    distractor("translate_text", "Translate a text."),
    distractor("web_search", "Search the web."),
    distractor("travel_request_read", "Look up travel requests."),
    distractor("asset_inventory_read", "Look up equipment."),
    distractor("time_sheet_read", "Look up working hours."),
    distractor("contract_archive_read", "Find contracts."),
    distractor("survey_results_read", "Read the results of surveys."),
];
