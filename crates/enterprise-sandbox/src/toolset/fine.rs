//! The fine tool set: the 61 tools of the published list and the 11 names of its stubs and helpers,
//! all on the same engine. Errors of the release are not copied; arguments that name the caller
//! must match the session's user.
//!
//! Where a published tool takes an argument that the data contradict (a caller's id, a stated
//! name), the argument is kept, because agents trained on the release send it, and is checked
//! instead of believed. Arguments that the office decides itself are accepted and ignored.
//!
//! Names without published arguments (stubs and helpers) take those of the compact tool for the
//! same operation.

use super::ArgBinding::{
    Change, Field, Fields, Filter, Key, Keys, Me, MyEmail, MyOwn, NewId, Pair, PairEmail,
    RecipientEmail, RecipientName, Same, Unused,
};
use super::Filter::{From, Link, Prefix, Same as Says, To};
use super::{Arg, ArgBinding, COMPACT, OfficeTool, Op, arg, must};
use crate::source::TableId;

/// A tool that shows these fields; the default view if there are none.
const fn tool(
    name: &'static str,
    op: Op,
    source: TableId,
    about: &'static str,
    args: &'static [Arg],
    show: &'static [&'static str],
) -> OfficeTool {
    let plain = super::tool(name, op, source, about, args);
    OfficeTool { show, ..plain }
}

/// The arguments of a compact tool, for names whose own arguments were never published.
#[expect(
    clippy::indexing_slicing,
    reason = "runs at compile time, where it cannot panic unseen"
)]
const fn like(name: &'static str, place: usize) -> OfficeTool {
    let same = &COMPACT[place];
    OfficeTool { name, ..*same }
}

const SKIP: ArgBinding = Unused;
const START: Arg = arg("start_date", Filter(From("interaction_date")), "first day");
const END: Arg = arg("end_date", Filter(To("interaction_date")), "last day");

const E: TableId = TableId::Employees;
const M: TableId = TableId::Emails;
const T: TableId = TableId::Conversations;
const P: TableId = TableId::Products;
const R: TableId = TableId::Reviews;
const S: TableId = TableId::Sales;
const C: TableId = TableId::SupportChats;
const I: TableId = TableId::Tickets;
const G: TableId = TableId::Repositories;
const F: TableId = TableId::Files;
const X: TableId = TableId::Issues;

/// All names of the published release.
///
/// 72 names. Together with the tools that both sets share, an agent is offered 86.
#[rustfmt::skip]
pub const FINE: &[OfficeTool] = &[
    tool("github_list_my_repositories", Op::Read, G, "Your repositories.", &[
        must("emp_id", MyOwn("emp_id"), "your id"),
    ], &[]),
    tool("github_list_issues_of_repository", Op::Read, X, "The issues of a repository.", &[
        must("repo_name", Filter(Link("repo_name")), "repository"),
    ], &[]),
    tool("github_create_repository", Op::Create, G, "Create a repository.", &[
        must("repo_name", NewId, "as owner/name"), must("emp_id", Me, "your id"),
        arg("license", Field("license"), "SPDX name"),
        arg("creation_date", Field("creation_date"), "default today"),
    ], &[]),
    tool("github_create_issue", Op::Create, X, "Open an issue.", &[
        must("repo_name", Field("repo_name"), "repository"), must("id", NewId, "id of the issue"),
        must("title", Field("title"), ""), must("description", Field("description"), ""),
        must("status", Field("status"), "open or closed"), must("created_at", SKIP, "set by the office"),
        must("patch", Field("patch"), "may be null"),
    ], &[]),
    tool("github_get_issue", Op::Read, X, "One issue.", &[
        must("repo_name", Filter(Link("repo_name")), "repository"), must("id", Key, "issue"),
    ], &[]),
    tool("github_update_repository", Op::Update, G, "Change a repository.", &[
        must("repo_name", Key, "repository"), must("emp_id", Me, "your id"),
        arg("license", Change("license"), "SPDX name"), arg("creation_date", SKIP, "cannot change"),
    ], &[]),
    tool("github_delete_repository", Op::Delete, G, "Delete a repository.", &[
        must("repo_name", Key, "repository"), must("emp_id", Me, "your id"),
    ], &[]),
    tool("github_update_issue", Op::Update, X, "Change an issue.", &[
        must("repo_name", Same("repo_name"), "repository"), must("id", Key, "issue"),
        arg("title", Change("title"), ""), arg("description", Change("description"), ""),
        arg("status", Change("status"), "open or closed"), arg("patch", Change("patch"), ""),
    ], &[]),
    tool("github_delete_issue", Op::Delete, X, "Delete an issue.", &[
        must("repo_name", Same("repo_name"), "repository"), must("id", Key, "issue"),
    ], &[]),
    tool("github_get_repository_contents", Op::Read, F, "The files of a repository.", &[
        must("repo_name", Filter(Link("repo_name")), "repository"),
        arg("path", Filter(Says("path")), "one file"),
    ], &[]),
    tool("send_message", Op::Create, T, "Send a message to a colleague.", &[
        must("sender_emp_id", Me, "your id"),
        must("recipient_emp_id", Field("recipient_emp_id"), "the colleague"),
        must("conversation_id", NewId, "new id"), must("text", Field("text"), ""),
        arg("date", Field("date"), "default today"),
    ], &[]),
    tool("edit_message", Op::Update, T, "Change the text of a conversation that you began.", &[
        must("conversation_id", Key, ""), must("sender_emp_id", Me, "your id"),
        must("recipient_emp_id", Same("recipient_emp_id"), "the other one"), must("text", Change("text"), ""),
        arg("date", SKIP, "cannot change"),
    ], &[]),
    tool("delete_message", Op::Delete, T, "Delete a conversation that you began.", &[
        must("conversation_id", Key, ""), must("sender_emp_id", Me, "your id"),
        must("recipient_emp_id", Same("recipient_emp_id"), "the other one"),
    ], &[]),
    tool("list_conversation_ids_between_employees", Op::Read, T, "Ids of your conversations with a colleague.", &[
        must("sender_emp_id", Pair, "one of the two"), must("recipient_emp_id", Pair, "the other one"),
    ], &["conversation_id"]),
    tool("fetch_conversation_by_id", Op::Read, T, "One conversation.", &[
        must("conversation_id", Key, ""),
    ], &[]),
    tool("read_email", Op::Read, M, "One mail.", &[must("email_id", Key, "")], &[]),
    tool("create_email", Op::Create, M, "Send a mail.", &[
        must("sender_email", MyEmail, "your address"), must("sender_name", SKIP, "filled in by the office"),
        must("recipient_email", RecipientEmail, ""),
        must("recipient_name", RecipientName, "tells people with one address apart"),
        arg("date", Field("date"), "default now"), arg("subject", Field("subject"), ""),
        arg("body", Field("body"), ""), arg("importance", Field("importance"), "Normal or High"),
        arg("category", Field("category"), ""), arg("signature", SKIP, "filled in by the office"),
        arg("confidentiality_notice", SKIP, "filled in by the office"),
    ], &[]),
    tool("update_email", Op::Update, M, "Edit a mail that you sent.", &[
        must("sender_email", MyEmail, "your address"), must("recipient_email", Same("recipient_email"), ""),
        must("recipient_name", Same("recipient_name"), ""), must("email_id", Key, ""),
        arg("thread_id", Same("thread_id"), ""), arg("subject", Change("subject"), ""),
        arg("body", Change("body"), ""), arg("importance", Change("importance"), ""),
        arg("category", Change("category"), ""), arg("signature", Change("signature"), ""),
        arg("confidentiality_notice", Change("confidentiality_notice"), ""),
    ], &[]),
    tool("delete_email", Op::Delete, M, "Remove a mail.", &[
        must("sender_email", Same("sender_email"), ""), must("recipient_email", Same("recipient_email"), ""),
        must("recipient_name", Same("recipient_name"), ""), must("email_id", Key, ""),
        arg("thread_id", Same("thread_id"), ""),
    ], &[]),
    tool("list_my_email_threads", Op::Read, M, "Threads of your mails.", &[
        must("emp_id", MyOwn("participant"), "your id"), arg("start_date", Filter(From("date")), "first day"),
        arg("end_date", Filter(To("date")), "last day"),
        arg("importance", Filter(Says("importance")), "Normal or High"),
    ], &["thread_id", "subject", "date"]),
    tool("list_thread_ids_between_sender_recipient", Op::Read, M, "Ids of your threads with a colleague.", &[
        must("sender_email", PairEmail, "one of the two"),
        must("recipient_email", PairEmail, "the other one"),
    ], &["thread_id"]),
    tool("list_email_ids_in_thread", Op::Read, M, "Ids of your mails in a thread.", &[
        must("thread_id", Filter(Link("thread_id")), ""),
    ], &["email_id", "thread_id"]),
    tool("read_customer_support_chat", Op::Read, C, "One support record.", &[
        must("chat_id", Key, ""), must("emp_id", Me, "your id"),
        arg("product_id", Filter(Link("product_id")), ""),
        arg("customer_id", Filter(Link("customer_id")), ""),
    ], &[]),
    tool("create_customer_support_chat", Op::Create, C, "Open a support record.", &[
        must("chat_id", NewId, "new id"), must("emp_id", Me, "your id"),
        must("product_id", Field("product_id"), ""), must("customer_id", Field("customer_id"), ""),
        must("text", Field("text"), ""), arg("interaction_date", Field("interaction_date"), "default today"),
    ], &[]),
    tool("update_customer_support_chat", Op::Update, C, "Change a support record that you handle.", &[
        must("chat_id", Key, ""), must("emp_id", Me, "your id"), must("product_id", Same("product_id"), ""),
        must("customer_id", Same("customer_id"), ""), must("text", Change("text"), ""),
        arg("interaction_date", Change("interaction_date"), ""),
    ], &[]),
    tool("delete_customer_support_chat", Op::Delete, C, "Delete a support record.", &[
        must("chat_id", Key, ""), must("emp_id", Me, "your id"), must("product_id", Same("product_id"), ""),
        must("customer_id", Same("customer_id"), ""),
    ], &[]),
    tool("read_my_crm_chats", Op::Read, C, "Support records that you handle.", &[
        must("emp_id", MyOwn("emp_id"), "your id"), START, END,
    ], &[]),
    tool("list_customer_support_chats_by_product", Op::Read, C, "Support records about a product.", &[
        must("emp_id", Me, "your id"), must("product_id", Filter(Link("product_id")), ""), START, END,
    ], &[]),
    tool("list_customer_support_chats_by_customer", Op::Read, C, "Support records of a customer.", &[
        must("emp_id", Me, "your id"), must("customer_id", Filter(Link("customer_id")), ""), START, END,
    ], &[]),
    tool("create_product", Op::Create, P, "Add a product.", &[
        must("product_id", NewId, "10 characters"), must("product_name", Field("product_name"), ""),
        must("category", Field("category"), "path joined with |"),
        must("discounted_price", Field("discounted_price"), ""),
        must("actual_price", Field("actual_price"), ""), must("rating", Field("rating"), "0 to 5"),
        must("about_product", Field("about_product"), ""),
    ], &[]),
    tool("get_product", Op::Read, P, "One product, by id or name.", &[
        arg("product_id", Key, ""), arg("product_name", Filter(Says("product_name")), ""),
    ], &[]),
    tool("update_product", Op::Update, P, "Change a product.", &[
        must("product_id", Key, ""), arg("product_name", Change("product_name"), ""),
        arg("category", Change("category"), ""), arg("discounted_price", Change("discounted_price"), ""),
        arg("actual_price", Change("actual_price"), ""), arg("rating", Change("rating"), ""),
        arg("about_product", Change("about_product"), ""),
    ], &[]),
    tool("delete_product", Op::Delete, P, "Remove a product.", &[must("product_id", Key, "")], &[]),
    tool("list_products_by_category", Op::Read, P, "Products of a category.", &[
        arg("category", Filter(Prefix("category")), "beginning of the path"),
    ], &["product_id", "product_name", "category"]),
    tool("create_product_sentiment", Op::Create, R, "Record a review.", &[
        must("sentiment_id", NewId, "new id"), must("product_id", Field("product_id"), ""),
        must("customer_id", Field("customer_id"), ""), must("review_content", Field("review_content"), ""),
        arg("category", SKIP, "follows from the product"),
        arg("about_product", SKIP, "follows from the product"), arg("review_id", SKIP, "not used"),
        arg("review_date", Field("review_date"), "default today"),
    ], &[]),
    tool("get_product_sentiment", Op::Read, R, "One review.", &[must("sentiment_id", Key, "")], &[]),
    tool("get_product_reviews", Op::Read, R, "Reviews of a product.", &[
        must("product_id", Filter(Link("product_id")), ""),
    ], &[]),
    tool("update_product_sentiment", Op::Update, R, "Change a review.", &[
        must("sentiment_id", Key, ""), must("product_id", Same("product_id"), ""),
        must("customer_id", Same("customer_id"), ""), must("review_content", Change("review_content"), ""),
        arg("category", SKIP, "follows from the product"),
        arg("about_product", SKIP, "follows from the product"), arg("review_id", SKIP, "not used"),
        arg("review_date", Change("review_date"), ""),
    ], &[]),
    tool("delete_product_sentiment", Op::Delete, R, "Delete a review.", &[
        must("sentiment_id", Key, ""), must("product_id", Same("product_id"), ""),
        must("customer_id", Same("customer_id"), ""),
    ], &[]),
    tool("create_sales_record", Op::Create, S, "Record a sale.", &[
        must("sales_record_id", NewId, "new id"), must("product_id", Field("product_id"), ""),
        must("product_name", SKIP, "follows from the product"),
        must("discounted_price", Field("discounted_price"), ""),
        must("actual_price", SKIP, "follows from the product"),
        must("discount_percentage", SKIP, "worked out"), must("rating", SKIP, "follows from the product"),
        must("rating_count", SKIP, "not used"), must("category", SKIP, "follows from the product"),
        must("about_product", SKIP, "follows from the product"), must("product_link", SKIP, "not used"),
        must("customer_id", Field("customer_id"), ""),
        must("customer_name", SKIP, "follows from the customer"),
        must("date_of_purchase", Field("date_of_purchase"), ""),
    ], &[]),
    tool("update_sales_record", Op::Update, S, "Correct a sale.", &[
        must("sales_record_id", Key, ""), arg("product_id", Same("product_id"), ""),
        arg("product_name", SKIP, "follows from the product"),
        arg("discounted_price", Change("discounted_price"), ""),
        arg("actual_price", SKIP, "follows from the product"), arg("discount_percentage", SKIP, "worked out"),
        arg("rating", SKIP, "follows from the product"), arg("rating_count", SKIP, "not used"),
        arg("category", SKIP, "follows from the product"),
        arg("about_product", SKIP, "follows from the product"), arg("product_link", SKIP, "not used"),
        arg("customer_id", Change("customer_id"), ""),
        arg("customer_name", SKIP, "follows from the customer"),
        arg("date_of_purchase", Change("date_of_purchase"), ""),
    ], &[]),
    tool("delete_sales_record", Op::Delete, S, "Delete a sale.", &[must("sales_record_id", Key, "")], &[]),
    tool("get_sales_record", Op::Read, S, "One sale.", &[must("sales_record_id", Key, "")], &[]),
    tool("list_sales_records_by_customer_and_product", Op::Read, S, "Sales of a product to a customer.", &[
        must("customer_id", Filter(Link("customer_id")), ""),
        must("product_id", Filter(Link("product_id")), ""),
    ], &[]),
    tool("list_sales_records_between_dates", Op::Read, S, "Sales in a span of days.", &[
        must("start_date", Filter(From("date_of_purchase")), "first day"),
        must("end_date", Filter(To("date_of_purchase")), "last day"),
    ], &[]),
    tool("get_customer", Op::Read, TableId::Customers, "One customer, by id or name.", &[
        arg("customer_id", Key, ""), arg("customer_name", Filter(Says("customer_name")), ""),
    ], &[]),
    tool("get_customer_reviews", Op::Read, R, "Reviews of a customer.", &[
        must("customer_id", Filter(Link("customer_id")), ""),
    ], &[]),
    tool("create_it_ticket", Op::Create, I, "Raise a ticket.", &[
        must("id", NewId, "new id"), must("priority", Field("priority"), "low, medium or high"),
        must("raised_by_emp_id", Me, "your id"), must("assigned_date", SKIP, "set by the office"),
        must("emp_id", Field("emp_id"), "handler"), must("Issue", Field("Issue"), ""),
        must("Resolution", SKIP, "a new ticket has none"),
    ], &[]),
    tool("get_it_ticket", Op::Read, I, "One ticket.", &[
        must("id", Key, ""), arg("emp_id", Filter(Link("emp_id")), "handler"),
        arg("raised_by_emp_id", Filter(Link("raised_by_emp_id")), "who raised it"),
    ], &[]),
    tool("update_it_ticket", Op::Update, I, "Change a ticket.", &[
        must("id", Key, ""), arg("priority", Change("priority"), ""),
        arg("raised_by_emp_id", Same("raised_by_emp_id"), ""),
        arg("assigned_date", Change("assigned_date"), ""), arg("emp_id", Change("emp_id"), "handler"),
        arg("Issue", Change("Issue"), ""), arg("Resolution", Change("Resolution"), ""),
    ], &[]),
    tool("delete_it_ticket", Op::Delete, I, "Delete a ticket.", &[
        must("id", Key, ""), must("emp_id", Me, "your id"),
    ], &[]),
    tool("get_it_ticket_ids_by_raiser", Op::Read, I, "Ids of the tickets that somebody raised.", &[
        must("raised_by_emp_id", Filter(Link("raised_by_emp_id")), ""),
    ], &["id"]),
    tool("list_it_tickets_by_priority", Op::Read, I, "Tickets of a priority.", &[
        must("priority", Filter(Says("priority")), ""),
    ], &[]),
    tool("list_it_tickets_assigned_to_me", Op::Read, I, "Tickets that you handle.", &[
        must("emp_id", MyOwn("emp_id"), "your id"),
    ], &[]),
    tool("assign_ticket", Op::Update, I, "Hand a ticket to a colleague.", &[
        must("id", Key, ""), must("emp_id", Change("emp_id"), "new handler"),
        must("assigned_date", Change("assigned_date"), ""),
    ], &[]),
    tool("resolve_ticket", Op::Update, I, "Write down the solution of a ticket.", &[
        must("id", Key, ""), must("Resolution", Change("Resolution"), ""),
    ], &[]),
    OfficeTool{name:"fetch_employee_record", about:"Employees by id, name, address or department.", op:Op::Read, source:E, code:false, args:&[arg("emp_id", Key, ""), arg("Name", Filter(Says("Name")), ""), arg("email", Filter(Says("email")), ""), arg("category", Filter(Says("category")), ""), arg("fields", Fields, "fields to show (default: the directory view)")], show:&[]},
    tool("create_employee_record", Op::Create, E, "Register an employee.", &[
        must("userId", Me, "your id"), must("emp_id", NewId, "new id"), must("name", Field("Name"), ""),
        must("email", Field("email"), ""), must("DOJ", Field("DOJ"), ""),
        must("DOL", SKIP, "a new employee has none"), must("category", Field("category"), ""),
        arg("description", Field("description"), ""), arg("experience", Field("Experience"), ""),
        arg("skills", Field("skills"), ""), arg("Level", Field("Level"), ""),
        arg("Salary", Field("Salary"), ""), arg("Age", Field("Age"), ""),
        must("Total Casual Leaves", Field("Total Casual Leaves"), ""),
        must("Remaining Casual Leaves", Field("Remaining Casual Leaves"), ""),
        must("Total Sick Leaves", Field("Total Sick Leaves"), ""),
        must("Remaining Sick Leaves", Field("Remaining Sick Leaves"), ""),
        must("Total Vacation Leaves", Field("Total Vacation Leaves"), ""),
        must("Remaining Vacation Leaves", Field("Remaining Vacation Leaves"), ""),
        arg("marital_status", Field("Marital Status"), ""),
        must("Performance Rating", Field("Performance Rating"), ""), arg("gender", Field("Gender"), ""),
        must("is_valid", SKIP, "a new employee is valid"),
        arg("reportees", SKIP, "follows from reports_to of others"),
        must("reports_to", Field("reports_to"), ""),
    ], &[]),
    tool("update_employee_record", Op::Update, E, "Change an employee's record.", &[
        must("userId", Me, "your id"), must("emp_id", Key, "whose record"), arg("name", Change("Name"), ""),
        arg("email", Change("email"), ""), arg("DOJ", Change("DOJ"), ""),
        arg("category", Change("category"), ""), arg("description", Change("description"), ""),
        arg("experience", Change("Experience"), ""), arg("skills", Change("skills"), ""),
        arg("Level", Change("Level"), ""), arg("Salary", Change("Salary"), ""), arg("Age", Change("Age"), ""),
        arg("marital_status", Change("Marital Status"), ""),
        arg("Performance Rating", Change("Performance Rating"), ""), arg("gender", Change("Gender"), ""),
        arg("DOL", Change("DOL"), ""), arg("Total Casual Leaves", Change("Total Casual Leaves"), ""),
        arg("Remaining Casual Leaves", Change("Remaining Casual Leaves"), ""),
        arg("Total Sick Leaves", Change("Total Sick Leaves"), ""),
        arg("Remaining Sick Leaves", Change("Remaining Sick Leaves"), ""),
        arg("Total Vacation Leaves", Change("Total Vacation Leaves"), ""),
        arg("Remaining Vacation Leaves", Change("Remaining Vacation Leaves"), ""),
        arg("Total Leaves Taken", SKIP, "worked out"),
    ], &[]),
    tool("deactivate_employee_record", Op::Delete, E, "Deactivate an employee.", &[
        must("userId", Me, "your id"), must("emp_id", Key, "who"), must("DOL", Field("DOL"), "leaving date"),
    ], &[]),
    tool("fetch_employees_by_ids", Op::Read, E, "Several employees.", &[
        must("emp_ids", Keys, "list of ids"),
    ], &[]),
    like("enterprise_social_platform_create", 36),
    like("enterprise_social_platform_read", 37),
    like("enterprise_social_platform_update", 38),
    like("enterprise_social_platform_delete", 39),
    tool("enterprise_social_platform_get_employee_name", Op::Read, E, "The name behind an id.", &[
        must("emp_id", Key, ""),
    ], &["Name"]),
    like("inazuma_overflow_create", 41),
    like("inazuma_overflow_read", 40),
    like("inazuma_overflow_update", 42),
    like("inazuma_overflow_delete", 43),
    like("llm", 45),
    tool("get_emp_id_by_email", Op::Read, E, "The id behind an address.", &[
        must("email", Filter(Says("email")), ""),
    ], &["emp_id"]),
];
