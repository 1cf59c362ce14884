//! A field of a row as a JSON value, for every source. Text that no file brought is written here,
//! by the grammars of [`crate::synth`].

use super::Company;
use crate::org::level_code;
use crate::row::{EmployeeNo, LEAVES, ORDER_KINDS, Text};
use crate::source::TableId;
use crate::synth::write;
use crate::value::{Day, row_no};
use serde_json::Value;

/// Priorities of tickets, lowest first.
pub(crate) const PRIORITIES: [&str; 3] = ["low", "medium", "high"];

fn at<T>(rows: &[T], row: u32) -> Option<&T> {
    rows.get(row as usize)
}

fn day(day: Day) -> Value {
    Value::String(day.to_string())
}

/// The parts of a comma-separated text.
pub(crate) fn words(text: &str) -> Value {
    text.split(',')
        .map(str::trim)
        .filter(|w| !w.is_empty())
        .map(Value::from)
        .collect()
}

impl Company {
    /// The value of a field; null for a row or field that is not there.
    #[must_use]
    pub fn cell(&self, source: TableId, row: u32, field: &str) -> Value {
        let value = match source {
            TableId::Employees => self.employee_cell(row, field),
            TableId::Resumes => self.resume_cell(row, field),
            TableId::Emails => self.mail_cell(row, field),
            TableId::Conversations => self.conversation_cell(row, field),
            TableId::Posts => self.post_cell(row, field),
            TableId::Overflow => self.overflow_cell(row, field),
            TableId::Repositories => self.repository_cell(row, field),
            TableId::Files => self.file_cell(row, field),
            TableId::Issues => self.issue_cell(row, field),
            TableId::Tickets => self.ticket_cell(row, field),
            TableId::Products => self.product_cell(row, field),
            TableId::Sales => self.sale_cell(row, field),
            TableId::Customers => self.customer_cell(row, field),
            TableId::OrderDocuments => self.order_cell(row, field),
            TableId::Reviews => self.review_cell(row, field),
            TableId::SupportChats => self.chat_cell(row, field),
            TableId::Clients => self.client_cell(row, field),
            TableId::Vendors => self.vendor_cell(row, field),
            TableId::PolicyDocuments => self.policy_cell(row, field),
        };
        value.unwrap_or(Value::Null)
    }

    /// The identifier of a row as records show it: a number for numbered sources.
    pub(crate) fn id_value(&self, source: TableId, row: u32) -> Value {
        let id = self.id(source, row);
        if source.numbered() {
            id.parse::<i64>().map_or(Value::String(id), Value::from)
        } else {
            Value::String(id)
        }
    }

    pub(crate) fn emp_id(&self, person: EmployeeNo) -> String {
        self.id(TableId::Employees, person.0)
    }

    pub(crate) fn person_name(&self, person: EmployeeNo) -> String {
        at(&self.employees, person.0)
            .map(|e| e.name.to_string())
            .unwrap_or_default()
    }

    fn emp(&self, person: EmployeeNo) -> Value {
        self.emp_id(person).into()
    }

    pub(crate) fn skills_text(&self, row: u32) -> String {
        at(&self.employees, row)
            .map(|e| Self::text(&e.skills, || write::skills(self, row)))
            .unwrap_or_default()
    }

    fn employee_cell(&self, row: u32, field: &str) -> Option<Value> {
        let e = at(&self.employees, row)?;
        if let Some(kind) = field.strip_suffix(" Leaves") {
            let (total, name) = match kind.strip_prefix("Total ") {
                Some(name) => (true, name),
                None => (false, kind.strip_prefix("Remaining ")?),
            };
            let n = LEAVES.iter().position(|l| *l == name)?;
            let days = if total { &e.leave_total } else { &e.leave_left };
            return days.get(n).map(|d| Value::from(*d));
        }
        Some(match field {
            "emp_id" => self.id_value(TableId::Employees, row),
            "Name" => (&*e.name).into(),
            "email" => (&*e.email).into(),
            "category" => e.department.name().into(),
            "Level" => level_code(e.department, e.level).into(),
            "reports_to" => self.emp(e.manager?),
            "reportees" => self
                .index
                .reports
                .of(row)
                .iter()
                .map(|r| Value::from(self.id(TableId::Employees, *r)))
                .collect(),
            "skills" => words(&self.skills_text(row)),
            "description" => Self::text(&e.description, || write::description(self, row)).into(),
            "Experience" => Self::text(&e.experience, || write::experience(self, row)).into(),
            "DOJ" => day(e.joined),
            "is_valid" => e.valid.into(),
            "DOL" => day(e.left?),
            "Salary" => e.salary.into(),
            "Total Leaves Taken" => e
                .leave_total
                .iter()
                .zip(e.leave_left)
                .map(|(t, l)| u64::from(t.saturating_sub(l)))
                .sum::<u64>()
                .into(),
            "Age" => e.age.into(),
            "Performance Rating" => e.rating.into(),
            "Marital Status" => Self::text(&e.marital, || write::marital(self, row)).into(),
            "Gender" => Self::text(&e.gender, || write::gender(self, row)).into(),
            _ => return None,
        })
    }

    fn resume_cell(&self, row: u32, field: &str) -> Option<Value> {
        let r = at(&self.resumes, row)?;
        let person = at(&self.employees, r.subject.0)?;
        let made = |text: &Option<Text>, own: &str| {
            text.as_ref()
                .map(|t| Value::from(Self::text(t, || own.to_owned())))
        };
        Some(match field {
            "resume_id" => self.id_value(TableId::Resumes, row),
            "emp_id" => self.emp(r.subject),
            "name" => made(&r.name, &person.name)?,
            "email" => made(&r.email, &person.email)?,
            "category" => Self::text(&r.category, || person.department.name().to_owned()).into(),
            "created_date" => day(r.created),
            "content" => Self::text(&r.content, || write::resume(self, row)).into(),
            "file_path" => Self::text(&r.file_path, || {
                format!("resumes/{}.pdf", self.id(TableId::Resumes, row))
            })
            .into(),
            _ => return None,
        })
    }

    fn mail_cell(&self, row: u32, field: &str) -> Option<Value> {
        let m = at(&self.mails, row)?;
        let address = |p: EmployeeNo| {
            at(&self.employees, p.0)
                .map(|e| Value::from(&*e.email))
                .unwrap_or(Value::Null)
        };
        Some(match field {
            "email_id" => self.id_value(TableId::Emails, row),
            "thread_id" => self.thread_id(m.thread.0).into(),
            "date" => format!("{}+05:30", m.at).into(),
            "sender_email" => address(m.sender),
            "sender_name" => self.person_name(m.sender).into(),
            "sender_emp_id" => self.emp(m.sender),
            "recipient_email" => address(m.recipient),
            "recipient_name" => self.person_name(m.recipient).into(),
            "recipient_emp_id" => self.emp(m.recipient),
            "subject" => Self::text(&m.subject, || write::mail_subject(self, row)).into(),
            "body" => Self::text(&m.body, || write::mail_body(self, row)).into(),
            "importance" => if m.high { "High" } else { "Normal" }.into(),
            "category" => self.mail_category(m.category).into(),
            "signature" => Self::text(&m.signature, || write::signature(self, m.signer)).into(),
            "confidentiality_notice" => {
                Self::text(m.notice.as_ref()?, || write::notice(self)).into()
            }
            _ => return None,
        })
    }

    fn mail_category(&self, index: u8) -> &'static str {
        crate::source::MAIL_CATEGORIES
            .get(usize::from(index))
            .copied()
            .unwrap_or("GENERAL")
    }

    fn conversation_cell(&self, row: u32, field: &str) -> Option<Value> {
        let m = at(&self.conversations, row)?;
        Some(match field {
            "conversation_id" => self.id_value(TableId::Conversations, row),
            "sender_emp_id" => self.emp(m.sender),
            "recipient_emp_id" => self.emp(m.recipient),
            "date" => day(m.on),
            "text" => Self::text(&m.text, || write::conversation(self, row)).into(),
            "category" => m.category.as_deref()?.into(),
            _ => return None,
        })
    }

    fn post_cell(&self, row: u32, field: &str) -> Option<Value> {
        let p = at(&self.posts, row)?;
        Some(match field {
            "post_id" => self.id_value(TableId::Posts, row),
            "Title" => Self::text(&p.title, || write::post_title(self, row)).into(),
            "Post" => Self::text(&p.body, || write::post_body(self, row)).into(),
            "emp_id" => self.emp(p.author),
            "author" => self.person_name(p.author).into(),
            "date" => day(p.on?),
            "parent_id" => self.id_value(TableId::Posts, p.parent?.0),
            _ => return None,
        })
    }

    fn overflow_cell(&self, row: u32, field: &str) -> Option<Value> {
        let p = at(&self.overflow, row)?;
        Some(match field {
            "Id" => self.id_value(TableId::Overflow, row),
            "post_type" => if p.question { "question" } else { "answer" }.into(),
            "Title" => Self::text(p.title.as_ref()?, || write::overflow_title(self, row)).into(),
            "Body" => Self::text(&p.body, || write::overflow_body(self, row)).into(),
            "Tags" => words(&Self::text(&p.tags, || write::overflow_tags(self, row))),
            "ParentId" => self.id_value(TableId::Overflow, p.parent?.0),
            "AcceptedAnswerId" => self.id_value(TableId::Overflow, p.accepted?.0),
            "Score" => p.score.into(),
            "ViewCount" => p.views?.into(),
            "CreationDate" => p.created.to_string().into(),
            "employee_id" => self.emp(p.author),
            "employee_Name" => self.person_name(p.author).into(),
            _ => return None,
        })
    }

    fn repository_cell(&self, row: u32, field: &str) -> Option<Value> {
        let r = at(&self.repositories, row)?;
        Some(match field {
            "repo_name" => self.id_value(TableId::Repositories, row),
            "emp_id" => self.emp(r.owner),
            "license" => Self::text(r.license.as_ref()?, || write::license(self, row)).into(),
            "creation_date" => day(r.created),
            "language" => Self::text(r.language.as_ref()?, || "Python".to_owned()).into(),
            _ => return None,
        })
    }

    pub(crate) fn file_path(&self, row: u32) -> String {
        at(&self.files, row)
            .map(|f| Self::text(&f.path, || write::file_path(self, row)))
            .unwrap_or_default()
    }

    pub(crate) fn file_text(&self, row: u32) -> String {
        at(&self.files, row)
            .map(|f| Self::text(&f.code, || write::file_text(self, row)))
            .unwrap_or_default()
    }

    fn file_cell(&self, row: u32, field: &str) -> Option<Value> {
        let f = at(&self.files, row)?;
        Some(match field {
            "file_id" => self.id(TableId::Files, row).into(),
            "repo_name" => self.id_value(TableId::Repositories, f.repository.0),
            "path" => self.file_path(row).into(),
            "content" => self.file_text(row).into(),
            "size" => f
                .size
                .unwrap_or_else(|| row_no(self.file_text(row).len()))
                .into(),
            "hash" => Self::text(&f.hash, || write::hash_of(&self.file_text(row))).into(),
            "copies" => f.copies.into(),
            _ => return None,
        })
    }

    fn issue_cell(&self, row: u32, field: &str) -> Option<Value> {
        let i = at(&self.issues, row)?;
        let file = at(&self.files, i.file.0)?;
        Some(match field {
            "issue_id" => self.id_value(TableId::Issues, row),
            "repo_name" => self.id_value(TableId::Repositories, file.repository.0),
            "path" => self.file_path(i.file.0).into(),
            "title" => Self::text(&i.title, || write::issue_title(self, row)).into(),
            "description" => {
                Self::text(&i.description, || write::issue_description(self, row)).into()
            }
            "status" => if i.closed { "closed" } else { "open" }.into(),
            "created_at" => i.created.to_string().into(),
            "patch" => Self::text(i.patch.as_ref()?, || write::issue_patch(self, row)).into(),
            _ => return None,
        })
    }

    fn ticket_cell(&self, row: u32, field: &str) -> Option<Value> {
        let t = at(&self.tickets, row)?;
        Some(match field {
            "id" => self.id_value(TableId::Tickets, row),
            "priority" => PRIORITIES.get(usize::from(t.priority)).copied()?.into(),
            "raised_by_emp_id" => self.emp(t.raiser),
            "emp_id" => self.emp(t.handler),
            "assigned_date" => day(t.on),
            "Issue" => Self::text(&t.issue, || write::ticket_issue(self, row)).into(),
            "Resolution" => Self::text(t.resolution.as_ref()?, || {
                write::ticket_resolution(self, row)
            })
            .into(),
            _ => return None,
        })
    }

    pub(crate) fn product_name(&self, row: u32) -> String {
        at(&self.products, row)
            .map(|p| Self::text(&p.name, || write::product_name(self, row)))
            .unwrap_or_default()
    }

    fn product_cell(&self, row: u32, field: &str) -> Option<Value> {
        let p = at(&self.products, row)?;
        Some(match field {
            "product_id" => self.id_value(TableId::Products, row),
            "product_name" => self.product_name(row).into(),
            "category" => Self::text(&p.category, || write::product_category(self, row)).into(),
            "actual_price" => p.list.value(),
            "discounted_price" => p.price.value(),
            "rating" => (f64::from(p.rating?) / 10.0).into(),
            "about_product" => {
                Self::text(p.about.as_ref()?, || write::product_about(self, row)).into()
            }
            _ => return None,
        })
    }

    fn sale_cell(&self, row: u32, field: &str) -> Option<Value> {
        let s = at(&self.sales, row)?;
        Some(match field {
            "sales_record_id" => self.id_value(TableId::Sales, row),
            "product_id" => self.id_value(TableId::Products, s.product.0),
            "customer_id" => self.id_value(TableId::Customers, s.customer.0),
            "actual_price" => s.list.value(),
            "discounted_price" => s.price.value(),
            "discount_percentage" => s.percent.into(),
            "date_of_purchase" => day(s.on),
            _ => return None,
        })
    }

    pub(crate) fn customer_name(&self, row: u32) -> String {
        at(&self.customers, row)
            .map(|c| Self::text(&c.name, || write::customer_name(self, row)))
            .unwrap_or_default()
    }

    fn customer_cell(&self, row: u32, field: &str) -> Option<Value> {
        at(&self.customers, row)?;
        Some(match field {
            "customer_id" => self.id_value(TableId::Customers, row),
            "customer_name" => self.customer_name(row).into(),
            _ => return None,
        })
    }

    pub(crate) fn order_path(&self, row: u32) -> Option<String> {
        let paper = at(&self.customers, row / 3)?.papers.get(row as usize % 3)?;
        Some(Self::text(paper, || {
            format!(
                "Customer_Relation_Management/Customer_orders/{}.pdf",
                self.id(TableId::OrderDocuments, row)
            )
        }))
    }

    fn order_cell(&self, row: u32, field: &str) -> Option<Value> {
        at(&self.customers, row / 3)?;
        Some(match field {
            "document_id" => self.id(TableId::OrderDocuments, row).into(),
            "kind" => ORDER_KINDS.get(row as usize % 3).copied()?.into(),
            "customer_id" => self.id_value(TableId::Customers, row / 3),
            "path" => self.order_path(row)?.into(),
            "text" => write::order_document(self, row).into(),
            _ => return None,
        })
    }

    fn review_cell(&self, row: u32, field: &str) -> Option<Value> {
        let r = at(&self.reviews, row)?;
        Some(match field {
            "sentiment_id" => self.id_value(TableId::Reviews, row),
            "product_id" => self.id_value(TableId::Products, r.product.0),
            "customer_id" => self.id_value(TableId::Customers, r.customer.0),
            "review_content" => Self::text(&r.text, || write::review(self, row)).into(),
            "review_date" => day(r.on),
            "polarity" => r.polarity?.name().into(),
            _ => return None,
        })
    }

    fn chat_cell(&self, row: u32, field: &str) -> Option<Value> {
        let s = at(&self.chats, row)?;
        Some(match field {
            "chat_id" => self.id_value(TableId::SupportChats, row),
            "product_id" => self.id_value(TableId::Products, s.product.0),
            "product_name" => self.product_name(s.product.0).into(),
            "customer_id" => self.id_value(TableId::Customers, s.customer.0),
            "customer_name" => self.customer_name(s.customer.0).into(),
            "emp_id" => self.emp(s.handler),
            "interaction_date" => day(s.on),
            "text" => Self::text(&s.text, || write::support_chat(self, row)).into(),
            _ => return None,
        })
    }

    fn client_cell(&self, row: u32, field: &str) -> Option<Value> {
        let c = at(&self.clients, row)?;
        let made = |text: &Text| Value::from(Self::text(text, || write::client(self, row, field)));
        Some(match field {
            "client_id" => self.id_value(TableId::Clients, row),
            "business_name" => made(&c.name),
            "industry" => made(&c.industry),
            "business_type" => made(&c.business),
            "contact_person_id" => made(&c.contact_id),
            "contact_person_name" => made(&c.contact_name),
            "contact_email" => made(&c.contact_email),
            "phone_number" => made(&c.phone),
            "registered_address" => made(&c.address),
            "tax_id" => made(&c.tax_id),
            "monthly_revenue" => c.revenue.value(),
            "onboarding_date" => day(c.on),
            "current_POC_product" => made(&c.trial_product),
            "POC_status" => if c.trial_accepted {
                "accepted"
            } else {
                "ongoing"
            }
            .into(),
            "engagement_description" => made(&c.engagement),
            "business_representative_employee" => self.emp(c.representative),
            _ => return None,
        })
    }

    fn vendor_cell(&self, row: u32, field: &str) -> Option<Value> {
        let v = at(&self.vendors, row)?;
        let made = |text: &Text| Value::from(Self::text(text, || write::vendor(self, row, field)));
        Some(match field {
            "vendor_id" => self.id_value(TableId::Vendors, row),
            "business_name" => made(&v.name),
            "industry" => made(&v.industry),
            "business_type" => made(&v.business),
            "registered_address" => made(&v.address),
            "tax_id" => made(&v.tax_id),
            "onboarding_date" => day(v.on),
            "relationship_description" => made(&v.relationship),
            "management_representative_employee" => self.emp(v.representative),
            _ => return None,
        })
    }

    fn policy_cell(&self, row: u32, field: &str) -> Option<Value> {
        let p = at(&self.policies, row)?;
        Some(match field {
            "document_id" => self.id_value(TableId::PolicyDocuments, row),
            "title" => (&*p.title).into(),
            "label" => p.label.show().into(),
            "text" => p.text().into(),
            _ => return None,
        })
    }
}
