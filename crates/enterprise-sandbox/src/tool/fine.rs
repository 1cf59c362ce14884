//! The fine surface: the 61 tools of the published list and the 11 names of its stubs and helpers,
//! each a view on the same engine. Behaviour that the release gets wrong is not copied; arguments
//! that name the caller must be the session's principal.

use super::Filter::{From, Link, Prefix, Same as Says, To};
use super::{Arg, COMPACT, Op, Role, Tool, arg, must};
use crate::source::Source;

const fn tool(
    name: &'static str,
    op: Op,
    source: Source,
    about: &'static str,
    args: &'static [Arg],
    show: &'static [&'static str],
) -> Tool {
    Tool {
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
const fn like(name: &'static str, place: usize) -> Tool {
    let twin = &COMPACT[place];
    Tool { name, ..*twin }
}

const SKIP: Role = Role::Unused;
const START: Arg = arg(
    "start_date",
    Role::Filter(From("interaction_date")),
    "first day",
);
const END: Arg = arg("end_date", Role::Filter(To("interaction_date")), "last day");

const E: Source = Source::Employees;
const M: Source = Source::Emails;
const T: Source = Source::Conversations;
const P: Source = Source::Products;
const R: Source = Source::Reviews;
const S: Source = Source::Sales;
const C: Source = Source::SupportChats;
const I: Source = Source::Tickets;
const G: Source = Source::Repositories;
const F: Source = Source::Files;
const X: Source = Source::Issues;

/// All names of the published release.
pub const FINE: &[Tool] = &[
    tool(
        "github_list_my_repositories",
        Op::Read,
        G,
        "Your repositories.",
        &[must("emp_id", Role::MyOwn("emp_id"), "your id")],
        &[],
    ),
    tool(
        "github_list_issues_of_repository",
        Op::Read,
        X,
        "The issues of a repository.",
        &[must(
            "repo_name",
            Role::Filter(Link("repo_name")),
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
            must("repo_name", Role::NewId, "as owner/name"),
            must("emp_id", Role::Me, "your id"),
            arg("license", Role::Field("license"), "SPDX name"),
            arg(
                "creation_date",
                Role::Field("creation_date"),
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
            must("repo_name", Role::Field("repo_name"), "repository"),
            must("id", Role::NewId, "id of the issue"),
            must("title", Role::Field("title"), ""),
            must("description", Role::Field("description"), ""),
            must("status", Role::Field("status"), "open or closed"),
            must("created_at", SKIP, "set by the office"),
            must("patch", Role::Field("patch"), "may be null"),
        ],
        &[],
    ),
    tool(
        "github_get_issue",
        Op::Read,
        X,
        "One issue.",
        &[
            must("repo_name", Role::Filter(Link("repo_name")), "repository"),
            must("id", Role::Key, "issue"),
        ],
        &[],
    ),
    tool(
        "github_update_repository",
        Op::Update,
        G,
        "Change a repository.",
        &[
            must("repo_name", Role::Key, "repository"),
            must("emp_id", Role::Me, "your id"),
            arg("license", Role::Change("license"), "SPDX name"),
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
            must("repo_name", Role::Key, "repository"),
            must("emp_id", Role::Me, "your id"),
        ],
        &[],
    ),
    tool(
        "github_update_issue",
        Op::Update,
        X,
        "Change an issue.",
        &[
            must("repo_name", Role::Same("repo_name"), "repository"),
            must("id", Role::Key, "issue"),
            arg("title", Role::Change("title"), ""),
            arg("description", Role::Change("description"), ""),
            arg("status", Role::Change("status"), "open or closed"),
            arg("patch", Role::Change("patch"), ""),
        ],
        &[],
    ),
    tool(
        "github_delete_issue",
        Op::Delete,
        X,
        "Delete an issue.",
        &[
            must("repo_name", Role::Same("repo_name"), "repository"),
            must("id", Role::Key, "issue"),
        ],
        &[],
    ),
    tool(
        "github_get_repository_contents",
        Op::Read,
        F,
        "The files of a repository.",
        &[
            must("repo_name", Role::Filter(Link("repo_name")), "repository"),
            arg("path", Role::Filter(Says("path")), "one file"),
        ],
        &[],
    ),
    tool(
        "send_message",
        Op::Create,
        T,
        "Send a message to a colleague.",
        &[
            must("sender_emp_id", Role::Me, "your id"),
            must(
                "recipient_emp_id",
                Role::Field("recipient_emp_id"),
                "the colleague",
            ),
            must("conversation_id", Role::NewId, "new id"),
            must("text", Role::Field("text"), ""),
            arg("date", Role::Field("date"), "default today"),
        ],
        &[],
    ),
    tool(
        "edit_message",
        Op::Update,
        T,
        "Change the text of a conversation that you began.",
        &[
            must("conversation_id", Role::Key, ""),
            must("sender_emp_id", Role::Me, "your id"),
            must(
                "recipient_emp_id",
                Role::Same("recipient_emp_id"),
                "the other one",
            ),
            must("text", Role::Change("text"), ""),
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
            must("conversation_id", Role::Key, ""),
            must("sender_emp_id", Role::Me, "your id"),
            must(
                "recipient_emp_id",
                Role::Same("recipient_emp_id"),
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
            must("sender_emp_id", Role::Pair, "one of the two"),
            must("recipient_emp_id", Role::Pair, "the other one"),
        ],
        &["conversation_id"],
    ),
    tool(
        "fetch_conversation_by_id",
        Op::Read,
        T,
        "One conversation.",
        &[must("conversation_id", Role::Key, "")],
        &[],
    ),
    tool(
        "read_email",
        Op::Read,
        M,
        "One mail.",
        &[must("email_id", Role::Key, "")],
        &[],
    ),
    tool(
        "create_email",
        Op::Create,
        M,
        "Send a mail.",
        &[
            must("sender_email", Role::MyEmail, "your address"),
            must("sender_name", SKIP, "filled in by the office"),
            must("recipient_email", Role::RecipientEmail, ""),
            must(
                "recipient_name",
                Role::RecipientName,
                "tells people with one address apart",
            ),
            arg("date", Role::Field("date"), "default now"),
            arg("subject", Role::Field("subject"), ""),
            arg("body", Role::Field("body"), ""),
            arg("importance", Role::Field("importance"), "Normal or High"),
            arg("category", Role::Field("category"), ""),
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
            must("sender_email", Role::MyEmail, "your address"),
            must("recipient_email", Role::Same("recipient_email"), ""),
            must("recipient_name", Role::Same("recipient_name"), ""),
            must("email_id", Role::Key, ""),
            arg("thread_id", Role::Same("thread_id"), ""),
            arg("subject", Role::Change("subject"), ""),
            arg("body", Role::Change("body"), ""),
            arg("importance", Role::Change("importance"), ""),
            arg("category", Role::Change("category"), ""),
            arg("signature", Role::Change("signature"), ""),
            arg(
                "confidentiality_notice",
                Role::Change("confidentiality_notice"),
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
            must("sender_email", Role::Same("sender_email"), ""),
            must("recipient_email", Role::Same("recipient_email"), ""),
            must("recipient_name", Role::Same("recipient_name"), ""),
            must("email_id", Role::Key, ""),
            arg("thread_id", Role::Same("thread_id"), ""),
        ],
        &[],
    ),
    tool(
        "list_my_email_threads",
        Op::Read,
        M,
        "Threads of your mails.",
        &[
            must("emp_id", Role::MyOwn("participant"), "your id"),
            arg("start_date", Role::Filter(From("date")), "first day"),
            arg("end_date", Role::Filter(To("date")), "last day"),
            arg(
                "importance",
                Role::Filter(Says("importance")),
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
            must("sender_email", Role::PairEmail, "one of the two"),
            must("recipient_email", Role::PairEmail, "the other one"),
        ],
        &["thread_id"],
    ),
    tool(
        "list_email_ids_in_thread",
        Op::Read,
        M,
        "Ids of your mails in a thread.",
        &[must("thread_id", Role::Filter(Link("thread_id")), "")],
        &["email_id", "thread_id"],
    ),
    tool(
        "read_customer_support_chat",
        Op::Read,
        C,
        "One support record.",
        &[
            must("chat_id", Role::Key, ""),
            must("emp_id", Role::Me, "your id"),
            arg("product_id", Role::Filter(Link("product_id")), ""),
            arg("customer_id", Role::Filter(Link("customer_id")), ""),
        ],
        &[],
    ),
    tool(
        "create_customer_support_chat",
        Op::Create,
        C,
        "Open a support record.",
        &[
            must("chat_id", Role::NewId, "new id"),
            must("emp_id", Role::Me, "your id"),
            must("product_id", Role::Field("product_id"), ""),
            must("customer_id", Role::Field("customer_id"), ""),
            must("text", Role::Field("text"), ""),
            arg(
                "interaction_date",
                Role::Field("interaction_date"),
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
            must("chat_id", Role::Key, ""),
            must("emp_id", Role::Me, "your id"),
            must("product_id", Role::Same("product_id"), ""),
            must("customer_id", Role::Same("customer_id"), ""),
            must("text", Role::Change("text"), ""),
            arg("interaction_date", Role::Change("interaction_date"), ""),
        ],
        &[],
    ),
    tool(
        "delete_customer_support_chat",
        Op::Delete,
        C,
        "Delete a support record.",
        &[
            must("chat_id", Role::Key, ""),
            must("emp_id", Role::Me, "your id"),
            must("product_id", Role::Same("product_id"), ""),
            must("customer_id", Role::Same("customer_id"), ""),
        ],
        &[],
    ),
    tool(
        "read_my_crm_chats",
        Op::Read,
        C,
        "Support records that you handle.",
        &[must("emp_id", Role::MyOwn("emp_id"), "your id"), START, END],
        &[],
    ),
    tool(
        "list_customer_support_chats_by_product",
        Op::Read,
        C,
        "Support records about a product.",
        &[
            must("emp_id", Role::Me, "your id"),
            must("product_id", Role::Filter(Link("product_id")), ""),
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
            must("emp_id", Role::Me, "your id"),
            must("customer_id", Role::Filter(Link("customer_id")), ""),
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
            must("product_id", Role::NewId, "10 characters"),
            must("product_name", Role::Field("product_name"), ""),
            must("category", Role::Field("category"), "path joined with |"),
            must("discounted_price", Role::Field("discounted_price"), ""),
            must("actual_price", Role::Field("actual_price"), ""),
            must("rating", Role::Field("rating"), "0 to 5"),
            must("about_product", Role::Field("about_product"), ""),
        ],
        &[],
    ),
    tool(
        "get_product",
        Op::Read,
        P,
        "One product, by id or name.",
        &[
            arg("product_id", Role::Key, ""),
            arg("product_name", Role::Filter(Says("product_name")), ""),
        ],
        &[],
    ),
    tool(
        "update_product",
        Op::Update,
        P,
        "Change a product.",
        &[
            must("product_id", Role::Key, ""),
            arg("product_name", Role::Change("product_name"), ""),
            arg("category", Role::Change("category"), ""),
            arg("discounted_price", Role::Change("discounted_price"), ""),
            arg("actual_price", Role::Change("actual_price"), ""),
            arg("rating", Role::Change("rating"), ""),
            arg("about_product", Role::Change("about_product"), ""),
        ],
        &[],
    ),
    tool(
        "delete_product",
        Op::Delete,
        P,
        "Remove a product.",
        &[must("product_id", Role::Key, "")],
        &[],
    ),
    tool(
        "list_products_by_category",
        Op::Read,
        P,
        "Products of a category.",
        &[arg(
            "category",
            Role::Filter(Prefix("category")),
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
            must("sentiment_id", Role::NewId, "new id"),
            must("product_id", Role::Field("product_id"), ""),
            must("customer_id", Role::Field("customer_id"), ""),
            must("review_content", Role::Field("review_content"), ""),
            arg("category", SKIP, "follows from the product"),
            arg("about_product", SKIP, "follows from the product"),
            arg("review_id", SKIP, "not used"),
            arg("review_date", Role::Field("review_date"), "default today"),
        ],
        &[],
    ),
    tool(
        "get_product_sentiment",
        Op::Read,
        R,
        "One review.",
        &[must("sentiment_id", Role::Key, "")],
        &[],
    ),
    tool(
        "get_product_reviews",
        Op::Read,
        R,
        "Reviews of a product.",
        &[must("product_id", Role::Filter(Link("product_id")), "")],
        &[],
    ),
    tool(
        "update_product_sentiment",
        Op::Update,
        R,
        "Change a review.",
        &[
            must("sentiment_id", Role::Key, ""),
            must("product_id", Role::Same("product_id"), ""),
            must("customer_id", Role::Same("customer_id"), ""),
            must("review_content", Role::Change("review_content"), ""),
            arg("category", SKIP, "follows from the product"),
            arg("about_product", SKIP, "follows from the product"),
            arg("review_id", SKIP, "not used"),
            arg("review_date", Role::Change("review_date"), ""),
        ],
        &[],
    ),
    tool(
        "delete_product_sentiment",
        Op::Delete,
        R,
        "Delete a review.",
        &[
            must("sentiment_id", Role::Key, ""),
            must("product_id", Role::Same("product_id"), ""),
            must("customer_id", Role::Same("customer_id"), ""),
        ],
        &[],
    ),
    tool(
        "create_sales_record",
        Op::Create,
        S,
        "Record a sale.",
        &[
            must("sales_record_id", Role::NewId, "new id"),
            must("product_id", Role::Field("product_id"), ""),
            must("product_name", SKIP, "follows from the product"),
            must("discounted_price", Role::Field("discounted_price"), ""),
            must("actual_price", SKIP, "follows from the product"),
            must("discount_percentage", SKIP, "worked out"),
            must("rating", SKIP, "follows from the product"),
            must("rating_count", SKIP, "not used"),
            must("category", SKIP, "follows from the product"),
            must("about_product", SKIP, "follows from the product"),
            must("product_link", SKIP, "not used"),
            must("customer_id", Role::Field("customer_id"), ""),
            must("customer_name", SKIP, "follows from the customer"),
            must("date_of_purchase", Role::Field("date_of_purchase"), ""),
        ],
        &[],
    ),
    tool(
        "update_sales_record",
        Op::Update,
        S,
        "Correct a sale.",
        &[
            must("sales_record_id", Role::Key, ""),
            arg("product_id", Role::Same("product_id"), ""),
            arg("product_name", SKIP, "follows from the product"),
            arg("discounted_price", Role::Change("discounted_price"), ""),
            arg("actual_price", SKIP, "follows from the product"),
            arg("discount_percentage", SKIP, "worked out"),
            arg("rating", SKIP, "follows from the product"),
            arg("rating_count", SKIP, "not used"),
            arg("category", SKIP, "follows from the product"),
            arg("about_product", SKIP, "follows from the product"),
            arg("product_link", SKIP, "not used"),
            arg("customer_id", Role::Change("customer_id"), ""),
            arg("customer_name", SKIP, "follows from the customer"),
            arg("date_of_purchase", Role::Change("date_of_purchase"), ""),
        ],
        &[],
    ),
    tool(
        "delete_sales_record",
        Op::Delete,
        S,
        "Delete a sale.",
        &[must("sales_record_id", Role::Key, "")],
        &[],
    ),
    tool(
        "get_sales_record",
        Op::Read,
        S,
        "One sale.",
        &[must("sales_record_id", Role::Key, "")],
        &[],
    ),
    tool(
        "list_sales_records_by_customer_and_product",
        Op::Read,
        S,
        "Sales of a product to a customer.",
        &[
            must("customer_id", Role::Filter(Link("customer_id")), ""),
            must("product_id", Role::Filter(Link("product_id")), ""),
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
                Role::Filter(From("date_of_purchase")),
                "first day",
            ),
            must("end_date", Role::Filter(To("date_of_purchase")), "last day"),
        ],
        &[],
    ),
    tool(
        "get_customer",
        Op::Read,
        Source::Customers,
        "One customer, by id or name.",
        &[
            arg("customer_id", Role::Key, ""),
            arg("customer_name", Role::Filter(Says("customer_name")), ""),
        ],
        &[],
    ),
    tool(
        "get_customer_reviews",
        Op::Read,
        R,
        "Reviews of a customer.",
        &[must("customer_id", Role::Filter(Link("customer_id")), "")],
        &[],
    ),
    tool(
        "create_it_ticket",
        Op::Create,
        I,
        "Raise a ticket.",
        &[
            must("id", Role::NewId, "new id"),
            must("priority", Role::Field("priority"), "low, medium or high"),
            must("raised_by_emp_id", Role::Me, "your id"),
            must("assigned_date", SKIP, "set by the office"),
            must("emp_id", Role::Field("emp_id"), "handler"),
            must("Issue", Role::Field("Issue"), ""),
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
            must("id", Role::Key, ""),
            arg("emp_id", Role::Filter(Link("emp_id")), "handler"),
            arg(
                "raised_by_emp_id",
                Role::Filter(Link("raised_by_emp_id")),
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
            must("id", Role::Key, ""),
            arg("priority", Role::Change("priority"), ""),
            arg("raised_by_emp_id", Role::Same("raised_by_emp_id"), ""),
            arg("assigned_date", Role::Change("assigned_date"), ""),
            arg("emp_id", Role::Change("emp_id"), "handler"),
            arg("Issue", Role::Change("Issue"), ""),
            arg("Resolution", Role::Change("Resolution"), ""),
        ],
        &[],
    ),
    tool(
        "delete_it_ticket",
        Op::Delete,
        I,
        "Delete a ticket.",
        &[
            must("id", Role::Key, ""),
            must("emp_id", Role::Me, "your id"),
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
            Role::Filter(Link("raised_by_emp_id")),
            "",
        )],
        &["id"],
    ),
    tool(
        "list_it_tickets_by_priority",
        Op::Read,
        I,
        "Tickets of a priority.",
        &[must("priority", Role::Filter(Says("priority")), "")],
        &[],
    ),
    tool(
        "list_it_tickets_assigned_to_me",
        Op::Read,
        I,
        "Tickets that you handle.",
        &[must("emp_id", Role::MyOwn("emp_id"), "your id")],
        &[],
    ),
    tool(
        "assign_ticket",
        Op::Update,
        I,
        "Hand a ticket to a colleague.",
        &[
            must("id", Role::Key, ""),
            must("emp_id", Role::Change("emp_id"), "new handler"),
            must("assigned_date", Role::Change("assigned_date"), ""),
        ],
        &[],
    ),
    tool(
        "resolve_ticket",
        Op::Update,
        I,
        "Write down the solution of a ticket.",
        &[
            must("id", Role::Key, ""),
            must("Resolution", Role::Change("Resolution"), ""),
        ],
        &[],
    ),
    Tool {
        name: "fetch_employee_record",
        about: "Employees by id, name, address or department.",
        op: Op::Read,
        source: E,
        code: false,
        args: &[
            arg("emp_id", Role::Key, ""),
            arg("Name", Role::Filter(Says("Name")), ""),
            arg("email", Role::Filter(Says("email")), ""),
            arg("category", Role::Filter(Says("category")), ""),
            arg(
                "fields",
                Role::Fields,
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
            must("userId", Role::Me, "your id"),
            must("emp_id", Role::NewId, "new id"),
            must("name", Role::Field("Name"), ""),
            must("email", Role::Field("email"), ""),
            must("DOJ", Role::Field("DOJ"), ""),
            must("DOL", SKIP, "a new employee has none"),
            must("category", Role::Field("category"), ""),
            arg("description", Role::Field("description"), ""),
            arg("experience", Role::Field("Experience"), ""),
            arg("skills", Role::Field("skills"), ""),
            arg("Level", Role::Field("Level"), ""),
            arg("Salary", Role::Field("Salary"), ""),
            arg("Age", Role::Field("Age"), ""),
            must(
                "Total Casual Leaves",
                Role::Field("Total Casual Leaves"),
                "",
            ),
            must(
                "Remaining Casual Leaves",
                Role::Field("Remaining Casual Leaves"),
                "",
            ),
            must("Total Sick Leaves", Role::Field("Total Sick Leaves"), ""),
            must(
                "Remaining Sick Leaves",
                Role::Field("Remaining Sick Leaves"),
                "",
            ),
            must(
                "Total Vacation Leaves",
                Role::Field("Total Vacation Leaves"),
                "",
            ),
            must(
                "Remaining Vacation Leaves",
                Role::Field("Remaining Vacation Leaves"),
                "",
            ),
            arg("marital_status", Role::Field("Marital Status"), ""),
            must("Performance Rating", Role::Field("Performance Rating"), ""),
            arg("gender", Role::Field("Gender"), ""),
            must("is_valid", SKIP, "a new employee is valid"),
            arg("reportees", SKIP, "follows from reports_to of others"),
            must("reports_to", Role::Field("reports_to"), ""),
        ],
        &[],
    ),
    tool(
        "update_employee_record",
        Op::Update,
        E,
        "Change an employee's record.",
        &[
            must("userId", Role::Me, "your id"),
            must("emp_id", Role::Key, "whose record"),
            arg("name", Role::Change("Name"), ""),
            arg("email", Role::Change("email"), ""),
            arg("DOJ", Role::Change("DOJ"), ""),
            arg("category", Role::Change("category"), ""),
            arg("description", Role::Change("description"), ""),
            arg("experience", Role::Change("Experience"), ""),
            arg("skills", Role::Change("skills"), ""),
            arg("Level", Role::Change("Level"), ""),
            arg("Salary", Role::Change("Salary"), ""),
            arg("Age", Role::Change("Age"), ""),
            arg("marital_status", Role::Change("Marital Status"), ""),
            arg("Performance Rating", Role::Change("Performance Rating"), ""),
            arg("gender", Role::Change("Gender"), ""),
            arg("DOL", Role::Change("DOL"), ""),
            arg(
                "Total Casual Leaves",
                Role::Change("Total Casual Leaves"),
                "",
            ),
            arg(
                "Remaining Casual Leaves",
                Role::Change("Remaining Casual Leaves"),
                "",
            ),
            arg("Total Sick Leaves", Role::Change("Total Sick Leaves"), ""),
            arg(
                "Remaining Sick Leaves",
                Role::Change("Remaining Sick Leaves"),
                "",
            ),
            arg(
                "Total Vacation Leaves",
                Role::Change("Total Vacation Leaves"),
                "",
            ),
            arg(
                "Remaining Vacation Leaves",
                Role::Change("Remaining Vacation Leaves"),
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
            must("userId", Role::Me, "your id"),
            must("emp_id", Role::Key, "who"),
            must("DOL", Role::Field("DOL"), "leaving date"),
        ],
        &[],
    ),
    tool(
        "fetch_employees_by_ids",
        Op::Read,
        E,
        "Several employees.",
        &[must("emp_ids", Role::Keys, "list of ids")],
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
        &[must("emp_id", Role::Key, "")],
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
        &[must("email", Role::Filter(Says("email")), "")],
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
