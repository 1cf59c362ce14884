//! The tables of the published data. Spelling follows the published files; the few renamed ones are the
//! vendor's key (`vendor_id`), the date of a sale (`date_of_purchase`), and the kind of an
//! overflow post (`post_type`).
//!
//! Every table lists the key first. The short functions set the usual attributes: `id`, `line`,
//! `page`, `link`, `day`; what follows (`change`, `required`, `restricted`, ...) deviates from
//! "derived, optional, visible, not searched, compared exactly". A field that an agent words freely
//! is compared after normalisation; one that the office allocates or computes is not compared at
//! all.

use super::{Table, TableId};
use crate::data::org::Department;
use crate::data::tables::FieldDefault::{Empty, Now, Null, Number, Same, Today, Word, Yes};
use crate::data::tables::Make::{List, Phrases};
use crate::data::tables::{FieldType, SourceField, day, id, line, link, page};
use strum::VariantNames as _;

const fn leave(name: &'static str) -> SourceField {
    SourceField::new(name, FieldType::Whole(0, 60))
        .change()
        .restricted()
}

/// The participants of a mail or conversation.
const TWO: &[(&str, &str)] = &[
    ("sender", "sender_emp_id"),
    ("recipient", "recipient_emp_id"),
];

/// Mail categories, most frequent first (published counts).
const MAIL_CATEGORIES: &[&str] = &[
    "INTERNAL",
    "FOLLOW-UP",
    "MEETING",
    "GENERAL",
    "ANNOUNCEMENT",
    "URGENT",
];

/// `reportees` and `Total Leaves Taken` follow from other fields. `is_valid` is changed by
/// deactivation only. Restricted: pay, leave, age, rating, marital status, gender, leaving date.
pub(super) const EMPLOYEES: Table = Table {
    action: "Hr",
    people: &[("subject", "emp_id")],
    file: Some("Human_Resource_Management/Employees/employees.json"),
    rows: 1_260,
    ..Table::new("employees", "employee", "HrRecord", &[
        id("emp_id"),
        line("Name").change().required().searched().indexed().native(&["Name", "name"]),
        line("email").change().searched().indexed(),
        SourceField::new("category", FieldType::Choice(Department::VARIANTS)).change().required().searched().indexed(),
        SourceField::new("Level", FieldType::Level).change().required().coded(),
        link("reports_to", TableId::Employees).change().nullable().default(Null),
        SourceField::new("reportees", FieldType::Words).ignore().coded(),
        SourceField::new("skills", FieldType::Words).change().searched().set().default(Empty),
        page("description").change().searched().default(Empty).make(List("text.about", "about")),
        page("Experience").change().searched().default(Empty),
        day("DOJ").change().default(Today),
        SourceField::new("is_valid", FieldType::Flag).default(Yes),
        day("DOL").change().nullable().restricted().default(Null),
        SourceField::new("Salary", FieldType::Whole(0, 1_000_000_000)).change().restricted().default(Null),
        leave("Total Casual Leaves").default(Number(8)),
        leave("Remaining Casual Leaves").default(Same("Total Casual Leaves")),
        leave("Total Sick Leaves").default(Number(10)),
        leave("Remaining Sick Leaves").default(Same("Total Sick Leaves")),
        leave("Total Vacation Leaves").default(Number(15)),
        leave("Remaining Vacation Leaves").default(Same("Total Vacation Leaves")),
        SourceField::new("Total Leaves Taken", FieldType::Whole(0, 200)).restricted().ignore().coded(),
        SourceField::new("Age", FieldType::Whole(18, 70)).change().restricted().default(Null),
        SourceField::new("Performance Rating", FieldType::Whole(1, 5)).change().restricted().default(Null),
        line("Marital Status").change().restricted().default(Null),
        line("Gender").change().restricted().default(Null),
    ])
};

/// Name, address and category may differ from those of the employee.
pub(super) const RESUMES: Table = Table {
    people: &[("subject", "emp_id")],
    file: Some("Human_Resource_Management/Resume/resume_information.csv"),
    rows: 1_013,
    ..Table::new("resumes", "resume", "Resume", &[
        id("resume_id"),
        link("emp_id", TableId::Employees).create().required(),
        line("name").change().nullable().searched().make(Phrases(&["{emp_id.Name}"])),
        line("email").change().nullable().make(Phrases(&["{emp_id.email}"])),
        line("category").change().nullable().searched().make(Phrases(&["{emp_id.category}"])),
        day("created_date").change(),
        page("content").change().searched().make(List("text.resume", "resume")),
        line("file_path").change().nullable().make(Phrases(&["resumes/{resume_id}.pdf"])),
    ])
};

/// The addresses and names of both people are copies and follow from the ids. Date, thread and
/// signature are not compared, except that a reply has to be in its thread.
pub(super) const EMAILS: Table = Table {
    private: true,
    action: "Email",
    people: TWO,
    owner: Some("sender_emp_id"),
    dated: Some("date"),
    file: Some("Enterprise_mail_system/emails.json"),
    rows: 11_928,
    ..Table::new("emails", "email", "EmailMessage", &[
        id("email_id"),
        line("thread_id").create().ignore().coded().indexed(),
        SourceField::new("date", FieldType::Moment).create().ignore().default(Now),
        line("sender_email").ignore().copy(("sender_emp_id", "email")),
        line("sender_name").ignore().copy(("sender_emp_id", "Name")),
        link("sender_emp_id", TableId::Employees).create(),
        line("recipient_email").ignore().copy(("recipient_emp_id", "email")),
        line("recipient_name").ignore().copy(("recipient_emp_id", "Name")),
        link("recipient_emp_id", TableId::Employees).create().required(),
        line("subject").change().required().searched().blank(),
        page("body").change().required().searched().blank(),
        SourceField::new("importance", FieldType::Choice(&["Normal", "High"]))
            .change().default(Word("Normal")).unknown("Normal"),
        SourceField::new("category", FieldType::Choice(MAIL_CATEGORIES))
            .change().default(Word("INTERNAL")).unknown("GENERAL"),
        line("signature").change().ignore(),
        page("confidentiality_notice").change().nullable().ignore(),
    ])
};

/// The text holds all turns, separated by blank lines. The published file is missing; it had 2,897 rows.
pub(super) const CONVERSATIONS: Table = Table {
    private: true,
    people: TWO,
    owner: Some("sender_emp_id"),
    dated: Some("date"),
    file: Some("Collaboration_tools/conversations.json"),
    sparse: true,
    rows: 2_897,
    ..Table::new("conversations", "conversation", "Conversation", &[
        id("conversation_id").native(&["conversation_id", "id"]),
        link("sender_emp_id", TableId::Employees).create().native(&["sender_emp_id", "emp1_id", "github_author_id"]),
        link("recipient_emp_id", TableId::Employees).create().required()
            .native(&["recipient_emp_id", "emp2_id", "employee_id"]),
        day("date").create().ignore().default(Today).native(&["date", "conversation_date", "assigned_date"]),
        page("text").change().required().searched().native(&["text", "conversation"]),
        line("category").nullable().ignore().default(Null),
    ])
};

/// `post_id`, `date` and `parent_id` are additions: the published rows have none.
pub(super) const POSTS: Table = Table {
    action: "Post",
    people: &[("author", "emp_id")],
    owner: Some("emp_id"),
    dated: Some("date"),
    file: Some("Enterprise Social Platform/posts.json"),
    sparse: true,
    rows: 971,
    ..Table::new("posts", "post", "SocialPost", &[
        id("post_id"),
        line("Title").change().required().searched().make(List("text.post.title", "post.title")),
        page("Post").change().required().searched().make(List("text.post.body", "post.body")),
        link("emp_id", TableId::Employees).create(),
        line("author").ignore().copy(("emp_id", "Name")).compared("name_from_master"),
        day("date").nullable().ignore().default(Today),
        link("parent_id", TableId::Posts).create().nullable().default(Null),
    ])
};

/// `post_type` stands for the published number `PostTypeId` (1 question, 2 answer). Titles, tags
/// and accepted answers belong to questions. The published file is missing; it had 10,823 rows.
pub(super) const OVERFLOW: Table = Table {
    numbered: true,
    action: "Overflow",
    people: &[("author", "employee_id")],
    owner: Some("employee_id"),
    dated: Some("CreationDate"),
    file: Some("Inazuma_Overflow/overflow.json"),
    rows: 10_823,
    ..Table::new("overflow", "overflow post", "OverflowPost", &[
        id("Id"),
        SourceField::new("post_type", FieldType::Choice(&["question", "answer"])).create().required(),
        line("Title").change().nullable().searched().default(Null),
        page("Body").change().required().searched(),
        SourceField::new("Tags", FieldType::Words).change().searched().set(),
        link("ParentId", TableId::Overflow).create().nullable().default(Null),
        link("AcceptedAnswerId", TableId::Overflow).change().nullable().default(Null),
        SourceField::new("Score", FieldType::Whole(-1_000_000, 1_000_000)).ignore().default(Number(0)),
        SourceField::new("ViewCount", FieldType::Whole(0, 1_000_000_000)).nullable().ignore().default(Null),
        SourceField::new("CreationDate", FieldType::Moment).ignore().default(Now),
        link("employee_id", TableId::Employees).create().native(&["employee_id", "emp_id"]),
        line("employee_Name").ignore().copy(("employee_id", "Name")),
    ])
};

/// The name is the key. Its contents are files and issues of their own.
pub(super) const REPOSITORIES: Table = Table {
    people: &[("owner", "emp_id")],
    owner: Some("emp_id"),
    rows: 726,
    ..Table::new("repositories", "repository", "Repository", &[
        SourceField::new("repo_name", FieldType::Id).create().required().normal(),
        link("emp_id", TableId::Employees).create().native(&["emp_id", "employee_id"]),
        line("license").change().nullable().searched().default(Null).make(List("text.license", "license")),
        day("creation_date").create().ignore().default(Today),
        line("language").change().nullable().searched().default(Null).make(List("text.language", "language")),
    ])
};

/// `hash` and `size` are recomputed with every write of the content; a size that is not stored is that of the
/// content. Code is compared without spaces at the ends of lines.
pub(super) const FILES: Table = Table {
    action: "Repository",
    people: &[("owner", "repo_name")],
    joined: Some(("repo_name", ':', "path")),
    file: Some("Workspace/GitHub/GitHub.json"),
    rows: 750,
    ..Table::new("files", "file", "File", &[
        id("file_id"),
        link("repo_name", TableId::Repositories).create().required(),
        line("path").create().required().searched().native(&["path", "file_path"]),
        page("content").change().required().code().blank().native(&["code", "content"]),
        SourceField::new("size", FieldType::Whole(0, 1_000_000_000)).ignore(),
        line("hash").ignore(),
        SourceField::new("copies", FieldType::Whole(0, 1_000_000_000)).ignore().default(Number(0)),
    ])
};

/// In the published file an object inside the row of its file, which is stored in place of its path.
pub(super) const ISSUES: Table = Table {
    action: "Repository",
    people: &[("owner", "repo_name")],
    dated: Some("created_at"),
    rows: 750,
    ..Table::new("issues", "issue", "Issue", &[
        id("issue_id").native(&["id"]),
        link("repo_name", TableId::Repositories).create().required(),
        line("path").create().nullable().default(Null).coded().indexed(),
        line("title").change().required().searched().blank(),
        page("description").change().required().searched().blank(),
        SourceField::new("status", FieldType::Choice(&["open", "closed"]))
            .change().default(Word("open")).unknown("open"),
        SourceField::new("created_at", FieldType::Moment).ignore().default(Now),
        page("patch").change().nullable().default(Null),
    ])
};

/// A ticket is open while `Resolution` is null; there is no status field.
pub(super) const TICKETS: Table = Table {
    people: &[("handler", "emp_id"), ("raisedBy", "raised_by_emp_id")],
    owner: Some("raised_by_emp_id"),
    dated: Some("assigned_date"),
    file: Some("IT_Service_Management/it_tickets.json"),
    rows: 163,
    ..Table::new("tickets", "ticket", "Ticket", &[
        id("id"),
        SourceField::new("priority", FieldType::Choice(&["low", "medium", "high"])).change().required(),
        link("raised_by_emp_id", TableId::Employees).create(),
        link("emp_id", TableId::Employees).change().member(Department::InformationTechnology),
        day("assigned_date").change().ignore().default(Today),
        page("Issue").change().required().searched().make(List("text.ticket", "ticket.issue")),
        page("Resolution").change().nullable().searched().default(Null)
            .make(List("text.resolution", "ticket.resolution")),
    ])
};

/// `actual_price` is the list price, `discounted_price` what is asked.
pub(super) const PRODUCTS: Table = Table {
    file: Some("Customer_Relation_Management/products.json"),
    rows: 1_351,
    ..Table::new("products", "product", "Product", &[
        id("product_id"),
        line("product_name").change().required().searched().indexed(),
        line("category").change().required().searched().blank(),
        SourceField::new("actual_price", FieldType::Money).change().required().sign("₹"),
        SourceField::new("discounted_price", FieldType::Money).change().required().sign("₹"),
        SourceField::new("rating", FieldType::Rating).change().nullable().default(Null),
        page("about_product").change().nullable().searched().default(Null),
    ])
};

/// The list price is copied from the product, the percentage follows from the two prices. Published:
/// 13,510 rows, ten for each product, from 2012 to 2022.
pub(super) const SALES: Table = Table {
    numbered: true,
    dated: Some("date_of_purchase"),
    file: Some("Customer_Relation_Management/sales.json"),
    rows: 13_510,
    ..Table::new("sales", "sale", "Sale", &[
        id("sales_record_id"),
        link("product_id", TableId::Products).create().required(),
        link("customer_id", TableId::Customers).change().required(),
        SourceField::new("actual_price", FieldType::Money).sign("₹"),
        SourceField::new("discounted_price", FieldType::Money).change().sign("₹"),
        SourceField::new("discount_percentage", FieldType::Whole(0, 100)).sign("%"),
        day("date_of_purchase").change().past().default(Today).native(&["Date_of_Purchase", "date_of_purchase"]),
    ])
};

/// The published rows also have the paths of three documents, which are [`TableId::OrderDocuments`]
/// here.
pub(super) const CUSTOMERS: Table = Table {
    file: Some("Customer_Relation_Management/customers.json"),
    rows: 90,
    ..Table::new("customers", "customer", "Customer", &[
        id("customer_id"),
        line("customer_name").change().required().searched().indexed(),
    ])
};

/// Computed; the published documents are PDF files.
pub(super) const ORDER_DOCUMENTS: Table = Table {
    read_only: true,
    action: "Customer",
    joined: Some(("kind", '_', "customer_id")),
    rows: 270,
    ..Table::new("order_documents", "order document", "OrderDocument", &[
        id("document_id"),
        line("kind"),
        link("customer_id", TableId::Customers),
        line("path").make(Phrases(&["Customer_Relation_Management/Customer_orders/{document_id}.pdf"])),
        page("text").searched(),
    ])
};

/// `polarity` is an addition; imported reviews have none. A generated review gets its sentiment first and
/// its words from it. A review belongs to a sale: this customer bought this product, not later than the day
/// of the review. The published file is missing; it had 13,510 rows with 1,351 different texts.
pub(super) const REVIEWS: Table = Table {
    numbered: true,
    dated: Some("review_date"),
    file: Some("Customer_Relation_Management/Product Sentiment/product_sentiment.json"),
    sparse: true,
    rows: 13_510,
    ..Table::new("reviews", "review", "Review", &[
        id("sentiment_id").native(&["sentiment_id", "review_id"]),
        link("product_id", TableId::Products).create().required(),
        link("customer_id", TableId::Customers).create().required(),
        page("review_content").change().required().searched(),
        day("review_date").change().past().default(Today),
        SourceField::new("polarity", FieldType::Choice(POLARITIES)).nullable().ignore().default(Null),
    ])
};

/// Sentiments of reviews.
pub(crate) const POLARITIES: &[&str] = &["positive", "neutral", "negative"];

/// Names of product and customer are copies. Published: 1,000 rows with 27 handlers, all at level 9; 267
/// chats are handled by Engineering, so the rules go by the handler and not by the department.
pub(super) const SUPPORT_CHATS: Table = Table {
    numbered: true,
    people: &[("handler", "emp_id")],
    owner: Some("emp_id"),
    dated: Some("interaction_date"),
    file: Some("Customer_Relation_Management/Customer Support/customer_support_chats.json"),
    rows: 1_000,
    ..Table::new("support_chats", "support chat", "SupportChat", &[
        id("chat_id"),
        link("product_id", TableId::Products).create().required(),
        line("product_name").ignore().searched().copy(("product_id", "product_name")).compared("name_from_master"),
        link("customer_id", TableId::Customers).create().required(),
        line("customer_name").ignore().searched().copy(("customer_id", "customer_name")).compared("name_from_master"),
        link("emp_id", TableId::Employees).create().native(&["emp_id", "employee_id"]),
        day("interaction_date").change().past().default(Today).native(&["interaction_date", "date"]),
        page("text").change().required().searched().native(&["text", "conversation", "chat"]),
    ])
};

/// `POC` is a trial of a product ("proof of concept"). Published: 400 rows; the representatives are 63
/// people of Business Development.
pub(super) const CLIENTS: Table = Table {
    people: &[("rep", "business_representative_employee")],
    file: Some("Business_and_Management/clients.json"),
    rows: 400,
    ..Table::new("clients", "client", "Client", &[
        id("client_id"),
        line("business_name").change().required().searched(),
        line("industry").change().searched().make(List("text.client.industry", "industry")),
        line("business_type").change().searched().make(List("text.client.business_type", "client.type")),
        line("contact_person_id").change().nullable(),
        line("contact_person_name").change().searched(),
        line("contact_email").change(),
        line("phone_number").change().bare_number("phone_was_a_number")
            .make(List("text.client.phone_number", "phone")),
        line("registered_address").change().searched().make(List("text.client.registered_address", "address")),
        line("tax_id").change().make(List("text.client.tax_id", "tax_id")),
        SourceField::new("monthly_revenue", FieldType::Money).change().sign("$"),
        day("onboarding_date").change(),
        line("current_POC_product").change().searched()
            .make(List("text.client.current_POC_product", "client.trial")),
        SourceField::new("POC_status", FieldType::Choice(&["ongoing", "accepted", "rejected"])).change(),
        page("engagement_description").change().searched()
            .make(List("text.client.engagement_description", "client.work")),
        link("business_representative_employee", TableId::Employees).change().member(Department::BusinessDevelopment),
    ])
};

/// As clients, without contact person and trial. Published: 400 rows; the representatives are 45 people of
/// Management.
pub(super) const VENDORS: Table = Table {
    people: &[("rep", "management_representative_employee")],
    file: Some("Business_and_Management/vendors.json"),
    rows: 400,
    prefix: Some("CLNT-"),
    ..Table::new("vendors", "vendor", "Vendor", &[
        id("vendor_id").native(&["client_id", "vendor_id"]),
        line("business_name").change().required().searched(),
        line("industry").change().searched().make(List("text.vendor.industry", "industry")),
        line("business_type").change().searched(),
        line("registered_address").change().searched().make(List("text.vendor.registered_address", "address")),
        line("tax_id").change().make(List("text.vendor.tax_id", "tax_id")),
        day("onboarding_date").change(),
        page("relationship_description").change().searched(),
        link("management_representative_employee", TableId::Employees).change().member(Department::Management),
    ])
};

/// Written by nobody; `label` says who may read it.
pub(super) const POLICY_DOCUMENTS: Table = Table {
    read_only: true,
    action: "Policy",
    rows: 24,
    ..Table::new("policy_documents", "policy document", "PolicyDoc", &[
        id("document_id"),
        line("title").searched(),
        line("label"),
        page("text").searched(),
    ])
};
