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

use super::Filter::{From, Link, Prefix, Same as Says, To};
use super::{Arg, ArgBinding, COMPACT, OfficeTool, Op, arg, must};
use crate::source::TableId;

const fn tool(
    name: &'static str,
    op: Op,
    source: TableId,
    about: &'static str,
    args: &'static [Arg],
    show: &'static [&'static str],
) -> OfficeTool {
    OfficeTool {
        name,
        about,
        op,
        source,
        code: false,
        args,
        show,
    }
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

const SKIP: ArgBinding = ArgBinding::Unused;
const START: Arg = arg(
    "start_date",
    ArgBinding::Filter(From("interaction_date")),
    "first day",
);
const END: Arg = arg(
    "end_date",
    ArgBinding::Filter(To("interaction_date")),
    "last day",
);

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
pub const FINE: &[OfficeTool] = &[
    tool(
        "github_list_my_repositories",
        Op::Read,
        G,
        "Your repositories.",
        &[must("emp_id", ArgBinding::MyOwn("emp_id"), "your id")],
        &[],
    ),
    tool(
        "github_list_issues_of_repository",
        Op::Read,
        X,
        "The issues of a repository.",
        &[must(
            "repo_name",
            ArgBinding::Filter(Link("repo_name")),
            "repository",
        )],
        &[],
    ),
    tool(
        "github_create_repository",
        Op::Create,
        G,
        "Create a repository.",
        &[
            must("repo_name", ArgBinding::NewId, "as owner/name"),
            must("emp_id", ArgBinding::Me, "your id"),
            arg("license", ArgBinding::Field("license"), "SPDX name"),
            arg(
                "creation_date",
                ArgBinding::Field("creation_date"),
                "default today",
            ),
        ],
        &[],
    ),
    tool(
        "github_create_issue",
        Op::Create,
        X,
        "Open an issue.",
        &[
            must("repo_name", ArgBinding::Field("repo_name"), "repository"),
            must("id", ArgBinding::NewId, "id of the issue"),
            must("title", ArgBinding::Field("title"), ""),
            must("description", ArgBinding::Field("description"), ""),
            must("status", ArgBinding::Field("status"), "open or closed"),
            must("created_at", SKIP, "set by the office"),
            must("patch", ArgBinding::Field("patch"), "may be null"),
        ],
        &[],
    ),
    tool(
        "github_get_issue",
        Op::Read,
        X,
        "One issue.",
        &[
            must(
                "repo_name",
                ArgBinding::Filter(Link("repo_name")),
                "repository",
            ),
            must("id", ArgBinding::Key, "issue"),
        ],
        &[],
    ),
    tool(
        "github_update_repository",
        Op::Update,
        G,
        "Change a repository.",
        &[
            must("repo_name", ArgBinding::Key, "repository"),
            must("emp_id", ArgBinding::Me, "your id"),
            arg("license", ArgBinding::Change("license"), "SPDX name"),
            arg("creation_date", SKIP, "cannot change"),
        ],
        &[],
    ),
    tool(
        "github_delete_repository",
        Op::Delete,
        G,
        "Delete a repository.",
        &[
            must("repo_name", ArgBinding::Key, "repository"),
            must("emp_id", ArgBinding::Me, "your id"),
        ],
        &[],
    ),
    tool(
        "github_update_issue",
        Op::Update,
        X,
        "Change an issue.",
        &[
            must("repo_name", ArgBinding::Same("repo_name"), "repository"),
            must("id", ArgBinding::Key, "issue"),
            arg("title", ArgBinding::Change("title"), ""),
            arg("description", ArgBinding::Change("description"), ""),
            arg("status", ArgBinding::Change("status"), "open or closed"),
            arg("patch", ArgBinding::Change("patch"), ""),
        ],
        &[],
    ),
    tool(
        "github_delete_issue",
        Op::Delete,
        X,
        "Delete an issue.",
        &[
            must("repo_name", ArgBinding::Same("repo_name"), "repository"),
            must("id", ArgBinding::Key, "issue"),
        ],
        &[],
    ),
    tool(
        "github_get_repository_contents",
        Op::Read,
        F,
        "The files of a repository.",
        &[
            must(
                "repo_name",
                ArgBinding::Filter(Link("repo_name")),
                "repository",
            ),
            arg("path", ArgBinding::Filter(Says("path")), "one file"),
        ],
        &[],
    ),
    tool(
        "send_message",
        Op::Create,
        T,
        "Send a message to a colleague.",
        &[
            must("sender_emp_id", ArgBinding::Me, "your id"),
            must(
                "recipient_emp_id",
                ArgBinding::Field("recipient_emp_id"),
                "the colleague",
            ),
            must("conversation_id", ArgBinding::NewId, "new id"),
            must("text", ArgBinding::Field("text"), ""),
            arg("date", ArgBinding::Field("date"), "default today"),
        ],
        &[],
    ),
    tool(
        "edit_message",
        Op::Update,
        T,
        "Change the text of a conversation that you began.",
        &[
            must("conversation_id", ArgBinding::Key, ""),
            must("sender_emp_id", ArgBinding::Me, "your id"),
            must(
                "recipient_emp_id",
                ArgBinding::Same("recipient_emp_id"),
                "the other one",
            ),
            must("text", ArgBinding::Change("text"), ""),
            arg("date", SKIP, "cannot change"),
        ],
        &[],
    ),
    tool(
        "delete_message",
        Op::Delete,
        T,
        "Delete a conversation that you began.",
        &[
            must("conversation_id", ArgBinding::Key, ""),
            must("sender_emp_id", ArgBinding::Me, "your id"),
            must(
                "recipient_emp_id",
                ArgBinding::Same("recipient_emp_id"),
                "the other one",
            ),
        ],
        &[],
    ),
    tool(
        "list_conversation_ids_between_employees",
        Op::Read,
        T,
        "Ids of your conversations with a colleague.",
        &[
            must("sender_emp_id", ArgBinding::Pair, "one of the two"),
            must("recipient_emp_id", ArgBinding::Pair, "the other one"),
        ],
        &["conversation_id"],
    ),
    tool(
        "fetch_conversation_by_id",
        Op::Read,
        T,
        "One conversation.",
        &[must("conversation_id", ArgBinding::Key, "")],
        &[],
    ),
    tool(
        "read_email",
        Op::Read,
        M,
        "One mail.",
        &[must("email_id", ArgBinding::Key, "")],
        &[],
    ),
    tool(
        "create_email",
        Op::Create,
        M,
        "Send a mail.",
        &[
            must("sender_email", ArgBinding::MyEmail, "your address"),
            must("sender_name", SKIP, "filled in by the office"),
            must("recipient_email", ArgBinding::RecipientEmail, ""),
            must(
                "recipient_name",
                ArgBinding::RecipientName,
                "tells people with one address apart",
            ),
            arg("date", ArgBinding::Field("date"), "default now"),
            arg("subject", ArgBinding::Field("subject"), ""),
            arg("body", ArgBinding::Field("body"), ""),
            arg(
                "importance",
                ArgBinding::Field("importance"),
                "Normal or High",
            ),
            arg("category", ArgBinding::Field("category"), ""),
            arg("signature", SKIP, "filled in by the office"),
            arg("confidentiality_notice", SKIP, "filled in by the office"),
        ],
        &[],
    ),
    tool(
        "update_email",
        Op::Update,
        M,
        "Edit a mail that you sent.",
        &[
            must("sender_email", ArgBinding::MyEmail, "your address"),
            must("recipient_email", ArgBinding::Same("recipient_email"), ""),
            must("recipient_name", ArgBinding::Same("recipient_name"), ""),
            must("email_id", ArgBinding::Key, ""),
            arg("thread_id", ArgBinding::Same("thread_id"), ""),
            arg("subject", ArgBinding::Change("subject"), ""),
            arg("body", ArgBinding::Change("body"), ""),
            arg("importance", ArgBinding::Change("importance"), ""),
            arg("category", ArgBinding::Change("category"), ""),
            arg("signature", ArgBinding::Change("signature"), ""),
            arg(
                "confidentiality_notice",
                ArgBinding::Change("confidentiality_notice"),
                "",
            ),
        ],
        &[],
    ),
    tool(
        "delete_email",
        Op::Delete,
        M,
        "Remove a mail.",
        &[
            must("sender_email", ArgBinding::Same("sender_email"), ""),
            must("recipient_email", ArgBinding::Same("recipient_email"), ""),
            must("recipient_name", ArgBinding::Same("recipient_name"), ""),
            must("email_id", ArgBinding::Key, ""),
            arg("thread_id", ArgBinding::Same("thread_id"), ""),
        ],
        &[],
    ),
    tool(
        "list_my_email_threads",
        Op::Read,
        M,
        "Threads of your mails.",
        &[
            must("emp_id", ArgBinding::MyOwn("participant"), "your id"),
            arg("start_date", ArgBinding::Filter(From("date")), "first day"),
            arg("end_date", ArgBinding::Filter(To("date")), "last day"),
            arg(
                "importance",
                ArgBinding::Filter(Says("importance")),
                "Normal or High",
            ),
        ],
        &["thread_id", "subject", "date"],
    ),
    tool(
        "list_thread_ids_between_sender_recipient",
        Op::Read,
        M,
        "Ids of your threads with a colleague.",
        &[
            must("sender_email", ArgBinding::PairEmail, "one of the two"),
            must("recipient_email", ArgBinding::PairEmail, "the other one"),
        ],
        &["thread_id"],
    ),
    tool(
        "list_email_ids_in_thread",
        Op::Read,
        M,
        "Ids of your mails in a thread.",
        &[must("thread_id", ArgBinding::Filter(Link("thread_id")), "")],
        &["email_id", "thread_id"],
    ),
    tool(
        "read_customer_support_chat",
        Op::Read,
        C,
        "One support record.",
        &[
            must("chat_id", ArgBinding::Key, ""),
            must("emp_id", ArgBinding::Me, "your id"),
            arg("product_id", ArgBinding::Filter(Link("product_id")), ""),
            arg("customer_id", ArgBinding::Filter(Link("customer_id")), ""),
        ],
        &[],
    ),
    tool(
        "create_customer_support_chat",
        Op::Create,
        C,
        "Open a support record.",
        &[
            must("chat_id", ArgBinding::NewId, "new id"),
            must("emp_id", ArgBinding::Me, "your id"),
            must("product_id", ArgBinding::Field("product_id"), ""),
            must("customer_id", ArgBinding::Field("customer_id"), ""),
            must("text", ArgBinding::Field("text"), ""),
            arg(
                "interaction_date",
                ArgBinding::Field("interaction_date"),
                "default today",
            ),
        ],
        &[],
    ),
    tool(
        "update_customer_support_chat",
        Op::Update,
        C,
        "Change a support record that you handle.",
        &[
            must("chat_id", ArgBinding::Key, ""),
            must("emp_id", ArgBinding::Me, "your id"),
            must("product_id", ArgBinding::Same("product_id"), ""),
            must("customer_id", ArgBinding::Same("customer_id"), ""),
            must("text", ArgBinding::Change("text"), ""),
            arg(
                "interaction_date",
                ArgBinding::Change("interaction_date"),
                "",
            ),
        ],
        &[],
    ),
    tool(
        "delete_customer_support_chat",
        Op::Delete,
        C,
        "Delete a support record.",
        &[
            must("chat_id", ArgBinding::Key, ""),
            must("emp_id", ArgBinding::Me, "your id"),
            must("product_id", ArgBinding::Same("product_id"), ""),
            must("customer_id", ArgBinding::Same("customer_id"), ""),
        ],
        &[],
    ),
    tool(
        "read_my_crm_chats",
        Op::Read,
        C,
        "Support records that you handle.",
        &[
            must("emp_id", ArgBinding::MyOwn("emp_id"), "your id"),
            START,
            END,
        ],
        &[],
    ),
    tool(
        "list_customer_support_chats_by_product",
        Op::Read,
        C,
        "Support records about a product.",
        &[
            must("emp_id", ArgBinding::Me, "your id"),
            must("product_id", ArgBinding::Filter(Link("product_id")), ""),
            START,
            END,
        ],
        &[],
    ),
    tool(
        "list_customer_support_chats_by_customer",
        Op::Read,
        C,
        "Support records of a customer.",
        &[
            must("emp_id", ArgBinding::Me, "your id"),
            must("customer_id", ArgBinding::Filter(Link("customer_id")), ""),
            START,
            END,
        ],
        &[],
    ),
    tool(
        "create_product",
        Op::Create,
        P,
        "Add a product.",
        &[
            must("product_id", ArgBinding::NewId, "10 characters"),
            must("product_name", ArgBinding::Field("product_name"), ""),
            must(
                "category",
                ArgBinding::Field("category"),
                "path joined with |",
            ),
            must(
                "discounted_price",
                ArgBinding::Field("discounted_price"),
                "",
            ),
            must("actual_price", ArgBinding::Field("actual_price"), ""),
            must("rating", ArgBinding::Field("rating"), "0 to 5"),
            must("about_product", ArgBinding::Field("about_product"), ""),
        ],
        &[],
    ),
    tool(
        "get_product",
        Op::Read,
        P,
        "One product, by id or name.",
        &[
            arg("product_id", ArgBinding::Key, ""),
            arg("product_name", ArgBinding::Filter(Says("product_name")), ""),
        ],
        &[],
    ),
    tool(
        "update_product",
        Op::Update,
        P,
        "Change a product.",
        &[
            must("product_id", ArgBinding::Key, ""),
            arg("product_name", ArgBinding::Change("product_name"), ""),
            arg("category", ArgBinding::Change("category"), ""),
            arg(
                "discounted_price",
                ArgBinding::Change("discounted_price"),
                "",
            ),
            arg("actual_price", ArgBinding::Change("actual_price"), ""),
            arg("rating", ArgBinding::Change("rating"), ""),
            arg("about_product", ArgBinding::Change("about_product"), ""),
        ],
        &[],
    ),
    tool(
        "delete_product",
        Op::Delete,
        P,
        "Remove a product.",
        &[must("product_id", ArgBinding::Key, "")],
        &[],
    ),
    tool(
        "list_products_by_category",
        Op::Read,
        P,
        "Products of a category.",
        &[arg(
            "category",
            ArgBinding::Filter(Prefix("category")),
            "beginning of the path",
        )],
        &["product_id", "product_name", "category"],
    ),
    tool(
        "create_product_sentiment",
        Op::Create,
        R,
        "Record a review.",
        &[
            must("sentiment_id", ArgBinding::NewId, "new id"),
            must("product_id", ArgBinding::Field("product_id"), ""),
            must("customer_id", ArgBinding::Field("customer_id"), ""),
            must("review_content", ArgBinding::Field("review_content"), ""),
            arg("category", SKIP, "follows from the product"),
            arg("about_product", SKIP, "follows from the product"),
            arg("review_id", SKIP, "not used"),
            arg(
                "review_date",
                ArgBinding::Field("review_date"),
                "default today",
            ),
        ],
        &[],
    ),
    tool(
        "get_product_sentiment",
        Op::Read,
        R,
        "One review.",
        &[must("sentiment_id", ArgBinding::Key, "")],
        &[],
    ),
    tool(
        "get_product_reviews",
        Op::Read,
        R,
        "Reviews of a product.",
        &[must(
            "product_id",
            ArgBinding::Filter(Link("product_id")),
            "",
        )],
        &[],
    ),
    tool(
        "update_product_sentiment",
        Op::Update,
        R,
        "Change a review.",
        &[
            must("sentiment_id", ArgBinding::Key, ""),
            must("product_id", ArgBinding::Same("product_id"), ""),
            must("customer_id", ArgBinding::Same("customer_id"), ""),
            must("review_content", ArgBinding::Change("review_content"), ""),
            arg("category", SKIP, "follows from the product"),
            arg("about_product", SKIP, "follows from the product"),
            arg("review_id", SKIP, "not used"),
            arg("review_date", ArgBinding::Change("review_date"), ""),
        ],
        &[],
    ),
    tool(
        "delete_product_sentiment",
        Op::Delete,
        R,
        "Delete a review.",
        &[
            must("sentiment_id", ArgBinding::Key, ""),
            must("product_id", ArgBinding::Same("product_id"), ""),
            must("customer_id", ArgBinding::Same("customer_id"), ""),
        ],
        &[],
    ),
    tool(
        "create_sales_record",
        Op::Create,
        S,
        "Record a sale.",
        &[
            must("sales_record_id", ArgBinding::NewId, "new id"),
            must("product_id", ArgBinding::Field("product_id"), ""),
            must("product_name", SKIP, "follows from the product"),
            must(
                "discounted_price",
                ArgBinding::Field("discounted_price"),
                "",
            ),
            must("actual_price", SKIP, "follows from the product"),
            must("discount_percentage", SKIP, "worked out"),
            must("rating", SKIP, "follows from the product"),
            must("rating_count", SKIP, "not used"),
            must("category", SKIP, "follows from the product"),
            must("about_product", SKIP, "follows from the product"),
            must("product_link", SKIP, "not used"),
            must("customer_id", ArgBinding::Field("customer_id"), ""),
            must("customer_name", SKIP, "follows from the customer"),
            must(
                "date_of_purchase",
                ArgBinding::Field("date_of_purchase"),
                "",
            ),
        ],
        &[],
    ),
    tool(
        "update_sales_record",
        Op::Update,
        S,
        "Correct a sale.",
        &[
            must("sales_record_id", ArgBinding::Key, ""),
            arg("product_id", ArgBinding::Same("product_id"), ""),
            arg("product_name", SKIP, "follows from the product"),
            arg(
                "discounted_price",
                ArgBinding::Change("discounted_price"),
                "",
            ),
            arg("actual_price", SKIP, "follows from the product"),
            arg("discount_percentage", SKIP, "worked out"),
            arg("rating", SKIP, "follows from the product"),
            arg("rating_count", SKIP, "not used"),
            arg("category", SKIP, "follows from the product"),
            arg("about_product", SKIP, "follows from the product"),
            arg("product_link", SKIP, "not used"),
            arg("customer_id", ArgBinding::Change("customer_id"), ""),
            arg("customer_name", SKIP, "follows from the customer"),
            arg(
                "date_of_purchase",
                ArgBinding::Change("date_of_purchase"),
                "",
            ),
        ],
        &[],
    ),
    tool(
        "delete_sales_record",
        Op::Delete,
        S,
        "Delete a sale.",
        &[must("sales_record_id", ArgBinding::Key, "")],
        &[],
    ),
    tool(
        "get_sales_record",
        Op::Read,
        S,
        "One sale.",
        &[must("sales_record_id", ArgBinding::Key, "")],
        &[],
    ),
    tool(
        "list_sales_records_by_customer_and_product",
        Op::Read,
        S,
        "Sales of a product to a customer.",
        &[
            must("customer_id", ArgBinding::Filter(Link("customer_id")), ""),
            must("product_id", ArgBinding::Filter(Link("product_id")), ""),
        ],
        &[],
    ),
    tool(
        "list_sales_records_between_dates",
        Op::Read,
        S,
        "Sales in a span of days.",
        &[
            must(
                "start_date",
                ArgBinding::Filter(From("date_of_purchase")),
                "first day",
            ),
            must(
                "end_date",
                ArgBinding::Filter(To("date_of_purchase")),
                "last day",
            ),
        ],
        &[],
    ),
    tool(
        "get_customer",
        Op::Read,
        TableId::Customers,
        "One customer, by id or name.",
        &[
            arg("customer_id", ArgBinding::Key, ""),
            arg(
                "customer_name",
                ArgBinding::Filter(Says("customer_name")),
                "",
            ),
        ],
        &[],
    ),
    tool(
        "get_customer_reviews",
        Op::Read,
        R,
        "Reviews of a customer.",
        &[must(
            "customer_id",
            ArgBinding::Filter(Link("customer_id")),
            "",
        )],
        &[],
    ),
    tool(
        "create_it_ticket",
        Op::Create,
        I,
        "Raise a ticket.",
        &[
            must("id", ArgBinding::NewId, "new id"),
            must(
                "priority",
                ArgBinding::Field("priority"),
                "low, medium or high",
            ),
            must("raised_by_emp_id", ArgBinding::Me, "your id"),
            must("assigned_date", SKIP, "set by the office"),
            must("emp_id", ArgBinding::Field("emp_id"), "handler"),
            must("Issue", ArgBinding::Field("Issue"), ""),
            must("Resolution", SKIP, "a new ticket has none"),
        ],
        &[],
    ),
    tool(
        "get_it_ticket",
        Op::Read,
        I,
        "One ticket.",
        &[
            must("id", ArgBinding::Key, ""),
            arg("emp_id", ArgBinding::Filter(Link("emp_id")), "handler"),
            arg(
                "raised_by_emp_id",
                ArgBinding::Filter(Link("raised_by_emp_id")),
                "who raised it",
            ),
        ],
        &[],
    ),
    tool(
        "update_it_ticket",
        Op::Update,
        I,
        "Change a ticket.",
        &[
            must("id", ArgBinding::Key, ""),
            arg("priority", ArgBinding::Change("priority"), ""),
            arg("raised_by_emp_id", ArgBinding::Same("raised_by_emp_id"), ""),
            arg("assigned_date", ArgBinding::Change("assigned_date"), ""),
            arg("emp_id", ArgBinding::Change("emp_id"), "handler"),
            arg("Issue", ArgBinding::Change("Issue"), ""),
            arg("Resolution", ArgBinding::Change("Resolution"), ""),
        ],
        &[],
    ),
    tool(
        "delete_it_ticket",
        Op::Delete,
        I,
        "Delete a ticket.",
        &[
            must("id", ArgBinding::Key, ""),
            must("emp_id", ArgBinding::Me, "your id"),
        ],
        &[],
    ),
    tool(
        "get_it_ticket_ids_by_raiser",
        Op::Read,
        I,
        "Ids of the tickets that somebody raised.",
        &[must(
            "raised_by_emp_id",
            ArgBinding::Filter(Link("raised_by_emp_id")),
            "",
        )],
        &["id"],
    ),
    tool(
        "list_it_tickets_by_priority",
        Op::Read,
        I,
        "Tickets of a priority.",
        &[must("priority", ArgBinding::Filter(Says("priority")), "")],
        &[],
    ),
    tool(
        "list_it_tickets_assigned_to_me",
        Op::Read,
        I,
        "Tickets that you handle.",
        &[must("emp_id", ArgBinding::MyOwn("emp_id"), "your id")],
        &[],
    ),
    tool(
        "assign_ticket",
        Op::Update,
        I,
        "Hand a ticket to a colleague.",
        &[
            must("id", ArgBinding::Key, ""),
            must("emp_id", ArgBinding::Change("emp_id"), "new handler"),
            must("assigned_date", ArgBinding::Change("assigned_date"), ""),
        ],
        &[],
    ),
    tool(
        "resolve_ticket",
        Op::Update,
        I,
        "Write down the solution of a ticket.",
        &[
            must("id", ArgBinding::Key, ""),
            must("Resolution", ArgBinding::Change("Resolution"), ""),
        ],
        &[],
    ),
    OfficeTool {
        name: "fetch_employee_record",
        about: "Employees by id, name, address or department.",
        op: Op::Read,
        source: E,
        code: false,
        args: &[
            arg("emp_id", ArgBinding::Key, ""),
            arg("Name", ArgBinding::Filter(Says("Name")), ""),
            arg("email", ArgBinding::Filter(Says("email")), ""),
            arg("category", ArgBinding::Filter(Says("category")), ""),
            arg(
                "fields",
                ArgBinding::Fields,
                "fields to show (default: the directory view)",
            ),
        ],
        show: &[],
    },
    tool(
        "create_employee_record",
        Op::Create,
        E,
        "Register an employee.",
        &[
            must("userId", ArgBinding::Me, "your id"),
            must("emp_id", ArgBinding::NewId, "new id"),
            must("name", ArgBinding::Field("Name"), ""),
            must("email", ArgBinding::Field("email"), ""),
            must("DOJ", ArgBinding::Field("DOJ"), ""),
            must("DOL", SKIP, "a new employee has none"),
            must("category", ArgBinding::Field("category"), ""),
            arg("description", ArgBinding::Field("description"), ""),
            arg("experience", ArgBinding::Field("Experience"), ""),
            arg("skills", ArgBinding::Field("skills"), ""),
            arg("Level", ArgBinding::Field("Level"), ""),
            arg("Salary", ArgBinding::Field("Salary"), ""),
            arg("Age", ArgBinding::Field("Age"), ""),
            must(
                "Total Casual Leaves",
                ArgBinding::Field("Total Casual Leaves"),
                "",
            ),
            must(
                "Remaining Casual Leaves",
                ArgBinding::Field("Remaining Casual Leaves"),
                "",
            ),
            must(
                "Total Sick Leaves",
                ArgBinding::Field("Total Sick Leaves"),
                "",
            ),
            must(
                "Remaining Sick Leaves",
                ArgBinding::Field("Remaining Sick Leaves"),
                "",
            ),
            must(
                "Total Vacation Leaves",
                ArgBinding::Field("Total Vacation Leaves"),
                "",
            ),
            must(
                "Remaining Vacation Leaves",
                ArgBinding::Field("Remaining Vacation Leaves"),
                "",
            ),
            arg("marital_status", ArgBinding::Field("Marital Status"), ""),
            must(
                "Performance Rating",
                ArgBinding::Field("Performance Rating"),
                "",
            ),
            arg("gender", ArgBinding::Field("Gender"), ""),
            must("is_valid", SKIP, "a new employee is valid"),
            arg("reportees", SKIP, "follows from reports_to of others"),
            must("reports_to", ArgBinding::Field("reports_to"), ""),
        ],
        &[],
    ),
    tool(
        "update_employee_record",
        Op::Update,
        E,
        "Change an employee's record.",
        &[
            must("userId", ArgBinding::Me, "your id"),
            must("emp_id", ArgBinding::Key, "whose record"),
            arg("name", ArgBinding::Change("Name"), ""),
            arg("email", ArgBinding::Change("email"), ""),
            arg("DOJ", ArgBinding::Change("DOJ"), ""),
            arg("category", ArgBinding::Change("category"), ""),
            arg("description", ArgBinding::Change("description"), ""),
            arg("experience", ArgBinding::Change("Experience"), ""),
            arg("skills", ArgBinding::Change("skills"), ""),
            arg("Level", ArgBinding::Change("Level"), ""),
            arg("Salary", ArgBinding::Change("Salary"), ""),
            arg("Age", ArgBinding::Change("Age"), ""),
            arg("marital_status", ArgBinding::Change("Marital Status"), ""),
            arg(
                "Performance Rating",
                ArgBinding::Change("Performance Rating"),
                "",
            ),
            arg("gender", ArgBinding::Change("Gender"), ""),
            arg("DOL", ArgBinding::Change("DOL"), ""),
            arg(
                "Total Casual Leaves",
                ArgBinding::Change("Total Casual Leaves"),
                "",
            ),
            arg(
                "Remaining Casual Leaves",
                ArgBinding::Change("Remaining Casual Leaves"),
                "",
            ),
            arg(
                "Total Sick Leaves",
                ArgBinding::Change("Total Sick Leaves"),
                "",
            ),
            arg(
                "Remaining Sick Leaves",
                ArgBinding::Change("Remaining Sick Leaves"),
                "",
            ),
            arg(
                "Total Vacation Leaves",
                ArgBinding::Change("Total Vacation Leaves"),
                "",
            ),
            arg(
                "Remaining Vacation Leaves",
                ArgBinding::Change("Remaining Vacation Leaves"),
                "",
            ),
            arg("Total Leaves Taken", SKIP, "worked out"),
        ],
        &[],
    ),
    tool(
        "deactivate_employee_record",
        Op::Delete,
        E,
        "Deactivate an employee.",
        &[
            must("userId", ArgBinding::Me, "your id"),
            must("emp_id", ArgBinding::Key, "who"),
            must("DOL", ArgBinding::Field("DOL"), "leaving date"),
        ],
        &[],
    ),
    tool(
        "fetch_employees_by_ids",
        Op::Read,
        E,
        "Several employees.",
        &[must("emp_ids", ArgBinding::Keys, "list of ids")],
        &[],
    ),
    like("enterprise_social_platform_create", 36),
    like("enterprise_social_platform_read", 37),
    like("enterprise_social_platform_update", 38),
    like("enterprise_social_platform_delete", 39),
    tool(
        "enterprise_social_platform_get_employee_name",
        Op::Read,
        E,
        "The name behind an id.",
        &[must("emp_id", ArgBinding::Key, "")],
        &["Name"],
    ),
    like("inazuma_overflow_create", 41),
    like("inazuma_overflow_read", 40),
    like("inazuma_overflow_update", 42),
    like("inazuma_overflow_delete", 43),
    like("llm", 45),
    tool(
        "get_emp_id_by_email",
        Op::Read,
        E,
        "The id behind an address.",
        &[must("email", ArgBinding::Filter(Says("email")), "")],
        &["emp_id"],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twins_stand_where_the_table_says() {
        let social = ["create", "read", "update", "delete"];
        let twins = social
            .iter()
            .flat_map(|op| {
                [
                    (
                        format!("enterprise_social_platform_{op}"),
                        format!("social_platform_{op}"),
                    ),
                    (format!("inazuma_overflow_{op}"), format!("overflow_{op}")),
                ]
            })
            .chain([("llm".to_owned(), "llm_call".to_owned())]);
        for (name, twin) in twins {
            let fine = FINE.iter().find(|t| t.name == name).unwrap();
            let compact = COMPACT.iter().find(|t| t.name == twin).unwrap();
            assert_eq!(
                (fine.op, fine.source),
                (compact.op, compact.source),
                "{name}"
            );
            assert_eq!(fine.args.len(), compact.args.len(), "{name}");
        }
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = FINE.iter().chain(COMPACT).map(|t| t.name).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
        assert_eq!((FINE.len(), COMPACT.len()), (72, 59));
    }
}
