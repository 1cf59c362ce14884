//! The table of fields. Spelling follows the published files; the few renamed ones are the
//! vendor's key (`vendor_id`), the date of a sale (`date_of_purchase`), and the kind of an
//! overflow post (`post_type`).
//!
//! Every table lists the key first. The short functions set the usual attributes: `id`, `line`,
//! `page`, `link`, `day`; what follows (`change`, `required`, `restricted`, ...) deviates from
//! "derived, optional, visible, not searched, compared exactly". A field that an agent words freely
//! is compared after normalisation; one that the office allocates or computes is not compared at
//! all.

use super::{FieldType, SourceField, TableId};

/// Longest single-line text (characters).
pub(super) const LINE: usize = 300;
/// Longest text of several lines (characters).
pub(super) const PAGE: usize = 20_000;

const fn id(name: &'static str) -> SourceField {
    SourceField::new(name, FieldType::Id).create().ignore()
}
const fn line(name: &'static str) -> SourceField {
    SourceField::new(name, FieldType::Text(LINE)).normal()
}
const fn page(name: &'static str) -> SourceField {
    SourceField::new(name, FieldType::Text(PAGE)).normal()
}
const fn link(name: &'static str, to: TableId) -> SourceField {
    SourceField::new(name, FieldType::Link(to))
}
const fn day(name: &'static str) -> SourceField {
    SourceField::new(name, FieldType::Day)
}
const fn leave(name: &'static str) -> SourceField {
    SourceField::new(name, FieldType::Whole(0, 60))
        .change()
        .restricted()
}

/// Names of the departments, as [`Department::name`](crate::org::Department::name) gives them.
const DEPARTMENTS: &[&str] = &[
    "Engineering",
    "HR",
    "Business Development",
    "Information Technology",
    "BPO",
    "Finance",
    "Sales",
    "Management",
];
/// Mail categories, most frequent first (published counts).
pub(crate) const MAIL_CATEGORIES: &[&str] = &[
    "INTERNAL",
    "FOLLOW-UP",
    "MEETING",
    "GENERAL",
    "ANNOUNCEMENT",
    "URGENT",
];

/// `reportees` and `Total Leaves Taken` follow from other fields. `is_valid` is changed by
/// deactivation only. Restricted: pay, leave, age, rating, marital status, gender, leaving date.
const EMPLOYEES: &[SourceField] = &[
    id("emp_id"),
    line("Name").change().required().searched(),
    line("email").change().searched(),
    SourceField::new("category", FieldType::Choice(DEPARTMENTS))
        .change()
        .required()
        .searched(),
    SourceField::new("Level", FieldType::Level)
        .change()
        .required(),
    link("reports_to", TableId::Employees).change().nullable(),
    SourceField::new("reportees", FieldType::Words).ignore(),
    SourceField::new("skills", FieldType::Words)
        .change()
        .searched()
        .set(),
    page("description").change().searched(),
    page("Experience").change().searched(),
    day("DOJ").change(),
    SourceField::new("is_valid", FieldType::Flag),
    day("DOL").change().nullable().restricted(),
    SourceField::new("Salary", FieldType::Whole(0, 1_000_000_000))
        .change()
        .restricted(),
    leave("Total Casual Leaves"),
    leave("Remaining Casual Leaves"),
    leave("Total Sick Leaves"),
    leave("Remaining Sick Leaves"),
    leave("Total Vacation Leaves"),
    leave("Remaining Vacation Leaves"),
    SourceField::new("Total Leaves Taken", FieldType::Whole(0, 200))
        .restricted()
        .ignore(),
    SourceField::new("Age", FieldType::Whole(18, 70))
        .change()
        .restricted(),
    SourceField::new("Performance Rating", FieldType::Whole(1, 5))
        .change()
        .restricted(),
    line("Marital Status").change().restricted(),
    line("Gender").change().restricted(),
];

/// Name, address and category may differ from those of the employee.
const RESUMES: &[SourceField] = &[
    id("resume_id"),
    link("emp_id", TableId::Employees).create().required(),
    line("name").change().nullable().searched(),
    line("email").change().nullable(),
    line("category").change().nullable().searched(),
    day("created_date").change(),
    page("content").change().searched(),
    line("file_path").change().nullable(),
];

/// The addresses and names of both people are copies and follow from the ids. Date, thread and
/// signature are not compared, except that a reply has to be in its thread.
const EMAILS: &[SourceField] = &[
    id("email_id"),
    SourceField::new("thread_id", FieldType::Text(LINE))
        .create()
        .ignore(),
    SourceField::new("date", FieldType::Moment)
        .create()
        .ignore(),
    line("sender_email").ignore(),
    line("sender_name").ignore(),
    link("sender_emp_id", TableId::Employees).create(),
    line("recipient_email").ignore(),
    line("recipient_name").ignore(),
    link("recipient_emp_id", TableId::Employees)
        .create()
        .required(),
    line("subject").change().required().searched(),
    page("body").change().required().searched(),
    SourceField::new("importance", FieldType::Choice(&["Normal", "High"])).change(),
    SourceField::new("category", FieldType::Choice(MAIL_CATEGORIES)).change(),
    line("signature").change().ignore(),
    page("confidentiality_notice").change().nullable().ignore(),
];

/// The text holds all turns, separated by blank lines.
const CONVERSATIONS: &[SourceField] = &[
    id("conversation_id"),
    link("sender_emp_id", TableId::Employees).create(),
    link("recipient_emp_id", TableId::Employees)
        .create()
        .required(),
    day("date").create().ignore(),
    page("text").change().required().searched(),
    line("category").nullable().ignore(),
];

/// `post_id`, `date` and `parent_id` are additions: the published rows have none.
const POSTS: &[SourceField] = &[
    id("post_id"),
    line("Title").change().required().searched(),
    page("Post").change().required().searched(),
    link("emp_id", TableId::Employees).create(),
    line("author").ignore(),
    day("date").nullable().ignore(),
    link("parent_id", TableId::Posts).create().nullable(),
];

/// `post_type` stands for the published number `PostTypeId` (1 question, 2 answer). Titles, tags
/// and accepted answers belong to questions.
const OVERFLOW: &[SourceField] = &[
    id("Id"),
    SourceField::new("post_type", FieldType::Choice(&["question", "answer"]))
        .create()
        .required(),
    line("Title").change().nullable().searched(),
    page("Body").change().required().searched(),
    SourceField::new("Tags", FieldType::Words)
        .change()
        .searched()
        .set(),
    link("ParentId", TableId::Overflow).create().nullable(),
    link("AcceptedAnswerId", TableId::Overflow)
        .change()
        .nullable(),
    SourceField::new("Score", FieldType::Whole(-1_000_000, 1_000_000)).ignore(),
    SourceField::new("ViewCount", FieldType::Whole(0, 1_000_000_000))
        .nullable()
        .ignore(),
    SourceField::new("CreationDate", FieldType::Moment).ignore(),
    link("employee_id", TableId::Employees).create(),
    line("employee_Name").ignore(),
];

/// The name is the key. Its contents are files and issues of their own.
const REPOSITORIES: &[SourceField] = &[
    SourceField::new("repo_name", FieldType::Id)
        .create()
        .required()
        .normal(),
    link("emp_id", TableId::Employees).create(),
    line("license").change().nullable().searched(),
    day("creation_date").create().ignore(),
    line("language").change().nullable().searched(),
];

/// `hash` and `size` are recomputed with every write of the content. Code is compared without
/// spaces at the ends of lines.
const FILES: &[SourceField] = &[
    id("file_id"),
    link("repo_name", TableId::Repositories).create().required(),
    line("path").create().required().searched(),
    page("content").change().required().code(),
    SourceField::new("size", FieldType::Whole(0, 1_000_000_000)).ignore(),
    line("hash").ignore(),
    SourceField::new("copies", FieldType::Whole(0, 1_000_000_000)).ignore(),
];

/// In the published file an object inside the row of its file.
const ISSUES: &[SourceField] = &[
    id("issue_id"),
    link("repo_name", TableId::Repositories).create().required(),
    line("path").create().nullable(),
    line("title").change().required().searched(),
    page("description").change().required().searched(),
    SourceField::new("status", FieldType::Choice(&["open", "closed"])).change(),
    SourceField::new("created_at", FieldType::Moment).ignore(),
    page("patch").change().nullable(),
];

/// A ticket is open while `Resolution` is null; there is no status field.
const TICKETS: &[SourceField] = &[
    id("id"),
    SourceField::new("priority", FieldType::Choice(&["low", "medium", "high"]))
        .change()
        .required(),
    link("raised_by_emp_id", TableId::Employees).create(),
    link("emp_id", TableId::Employees).change(),
    day("assigned_date").change().ignore(),
    page("Issue").change().required().searched(),
    page("Resolution").change().nullable().searched(),
];

/// `actual_price` is the list price, `discounted_price` what is asked.
const PRODUCTS: &[SourceField] = &[
    id("product_id"),
    line("product_name").change().required().searched(),
    line("category").change().required().searched(),
    SourceField::new("actual_price", FieldType::Money)
        .change()
        .required(),
    SourceField::new("discounted_price", FieldType::Money)
        .change()
        .required(),
    SourceField::new("rating", FieldType::Rating)
        .change()
        .nullable(),
    page("about_product").change().nullable().searched(),
];

/// The list price is copied from the product, the percentage follows from the two prices.
const SALES: &[SourceField] = &[
    id("sales_record_id"),
    link("product_id", TableId::Products).create().required(),
    link("customer_id", TableId::Customers).change().required(),
    SourceField::new("actual_price", FieldType::Money),
    SourceField::new("discounted_price", FieldType::Money).change(),
    SourceField::new("discount_percentage", FieldType::Whole(0, 100)),
    day("date_of_purchase").change(),
];

/// The published rows also have the paths of three documents, which are [`TableId::OrderDocuments`]
/// here.
const CUSTOMERS: &[SourceField] = &[
    id("customer_id"),
    line("customer_name").change().required().searched(),
];

/// Computed; the published documents are PDF files.
const ORDER_DOCUMENTS: &[SourceField] = &[
    id("document_id"),
    line("kind"),
    link("customer_id", TableId::Customers),
    line("path"),
    page("text").searched(),
];

/// `polarity` is an addition; imported reviews have none.
const REVIEWS: &[SourceField] = &[
    id("sentiment_id"),
    link("product_id", TableId::Products).create().required(),
    link("customer_id", TableId::Customers).create().required(),
    page("review_content").change().required().searched(),
    day("review_date").change(),
    SourceField::new(
        "polarity",
        FieldType::Choice(&["positive", "neutral", "negative"]),
    )
    .nullable()
    .ignore(),
];

/// Names of product and customer are copies.
const SUPPORT_CHATS: &[SourceField] = &[
    id("chat_id"),
    link("product_id", TableId::Products).create().required(),
    line("product_name").ignore().searched(),
    link("customer_id", TableId::Customers).create().required(),
    line("customer_name").ignore().searched(),
    link("emp_id", TableId::Employees).create(),
    day("interaction_date").change(),
    page("text").change().required().searched(),
];

/// `POC` is a trial of a product ("proof of concept").
const CLIENTS: &[SourceField] = &[
    id("client_id"),
    line("business_name").change().required().searched(),
    line("industry").change().searched(),
    line("business_type").change().searched(),
    line("contact_person_id").change().nullable(),
    line("contact_person_name").change().searched(),
    line("contact_email").change(),
    line("phone_number").change(),
    line("registered_address").change().searched(),
    line("tax_id").change(),
    SourceField::new("monthly_revenue", FieldType::Money).change(),
    day("onboarding_date").change(),
    line("current_POC_product").change().searched(),
    SourceField::new(
        "POC_status",
        FieldType::Choice(&["ongoing", "accepted", "rejected"]),
    )
    .change(),
    page("engagement_description").change().searched(),
    link("business_representative_employee", TableId::Employees).change(),
];

/// As clients, without contact person and trial.
const VENDORS: &[SourceField] = &[
    id("vendor_id"),
    line("business_name").change().required().searched(),
    line("industry").change().searched(),
    line("business_type").change().searched(),
    line("registered_address").change().searched(),
    line("tax_id").change(),
    day("onboarding_date").change(),
    page("relationship_description").change().searched(),
    link("management_representative_employee", TableId::Employees).change(),
];

/// Written by nobody; `label` says who may read it.
const POLICY_DOCUMENTS: &[SourceField] = &[
    id("document_id"),
    line("title").searched(),
    line("label"),
    page("text").searched(),
];

pub(super) fn of(source: TableId) -> &'static [SourceField] {
    match source {
        TableId::Employees => EMPLOYEES,
        TableId::Resumes => RESUMES,
        TableId::Emails => EMAILS,
        TableId::Conversations => CONVERSATIONS,
        TableId::Posts => POSTS,
        TableId::Overflow => OVERFLOW,
        TableId::Repositories => REPOSITORIES,
        TableId::Files => FILES,
        TableId::Issues => ISSUES,
        TableId::Tickets => TICKETS,
        TableId::Products => PRODUCTS,
        TableId::Sales => SALES,
        TableId::Customers => CUSTOMERS,
        TableId::OrderDocuments => ORDER_DOCUMENTS,
        TableId::Reviews => REVIEWS,
        TableId::SupportChats => SUPPORT_CHATS,
        TableId::Clients => CLIENTS,
        TableId::Vendors => VENDORS,
        TableId::PolicyDocuments => POLICY_DOCUMENTS,
    }
}
