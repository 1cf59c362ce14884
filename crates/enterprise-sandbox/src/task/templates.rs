//! The list of templates, with the published goal templates that each of them covers.
//!
//! A template is a kind of request. The 90 distinct texts of the published goal configurations are
//! all covered; each template states which, by a fingerprint of the text, so that the texts
//! themselves need not be repeated here. Templates without a goal are this crate's: requests about
//! clients and vendors, composed tasks, and all tasks that cannot be done.
//!
//! | group | file | templates are about |
//! |---|---|---|
//! | mails and conversations | `talk.rs` | every domain |
//! | own record | `own.rs` | HR |
//! | policies, records of others | `people.rs` | HR; policies also IT and business |
//! | helpdesk | `helpdesk.rs` | IT |
//! | code | `code.rs` | software engineering |
//! | trade | `trade.rs` | sales |
//! | clients and vendors | `business.rs` | business operations |
//! | composed | `compose.rs` | every domain |
//! | refusals | `refusals.rs` | every domain, or the one that the data belongs to |
//!
//! Adding, removing or weighting a template moves the tasks of all seeds, so it raises the
//! environment's version.

use super::draft::{Ctx, Draft};
use super::own::{self, Own};
use super::{
    Category, TaskDomain, business, code, compose, helpdesk, people, refusals, talk, trade,
};

/// How a draft is made.
#[derive(Clone, Copy)]
pub(super) enum Build {
    /// By a separate function.
    With(fn(&mut Ctx<'_>) -> Option<Draft>),
    /// A question about the persona's own record.
    Own(&'static Own),
}

/// One template.
pub(super) struct Template {
    pub(super) id: &'static str,
    pub(super) category: Category,
    pub(super) domains: &'static [TaskDomain],
    pub(super) build: Build,
    /// Fingerprints (64-bit FNV-1a) of the published goal templates that it covers.
    pub(super) goals: &'static [u64],
    /// Relative frequency: 1 for a question about the persona's own record, 2 for others by
    /// default.
    pub(super) weight: u32,
}

/// The public description of a template.
///
/// ```
/// use enterprise_sandbox::task::{Category, templates};
///
/// let all = templates();
/// assert!(all.iter().any(|t| t.id == "my_salary" && t.category == Category::Search));
/// let goals: usize = all.iter().map(|t| t.goals.len()).sum();
/// assert_eq!(goals, 90); // the published goal configurations have 90 distinct texts
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateInfo {
    /// Name.
    /// Part of the id of every task that is made from it.
    pub id: &'static str,
    /// Category.
    pub category: Category,
    /// Domains that use it.
    pub domains: &'static [TaskDomain],
    /// Fingerprints (64-bit FNV-1a) of the published goal templates that it covers.
    pub goals: &'static [u64],
}

/// All templates.
#[must_use]
pub fn templates() -> Vec<TemplateInfo> {
    TEMPLATES
        .iter()
        .map(|t| TemplateInfo {
            id: t.id,
            category: t.category,
            domains: t.domains,
            goals: t.goals,
        })
        .collect()
}

impl Template {
    /// Drawn more often: composed tasks, for which there are few templates.
    const fn often(mut self, weight: u32) -> Self {
        self.weight = weight;
        self
    }

    pub(super) fn draft(&self, c: &mut Ctx<'_>) -> Option<Draft> {
        match self.build {
            Build::With(build) => build(c),
            Build::Own(own) => own::about_me(c, own),
        }
    }
}

const ALL: &[TaskDomain] = &TaskDomain::ALL;
const HR: &[TaskDomain] = &[TaskDomain::Hr];
const IT: &[TaskDomain] = &[TaskDomain::It];
const SWE: &[TaskDomain] = &[TaskDomain::Swe];
const SALES: &[TaskDomain] = &[TaskDomain::Sales];
const BUSINESS: &[TaskDomain] = &[TaskDomain::Business];

const fn search(
    id: &'static str,
    domains: &'static [TaskDomain],
    build: fn(&mut Ctx<'_>) -> Option<Draft>,
    goals: &'static [u64],
) -> Template {
    Template {
        id,
        category: Category::Search,
        domains,
        build: Build::With(build),
        goals,
        weight: 2,
    }
}

const fn mine(id: &'static str, own: &'static Own, goals: &'static [u64]) -> Template {
    Template {
        id,
        category: Category::Search,
        domains: HR,
        build: Build::Own(own),
        goals,
        weight: 1,
    }
}

const fn crud(
    id: &'static str,
    domains: &'static [TaskDomain],
    build: fn(&mut Ctx<'_>) -> Option<Draft>,
    goals: &'static [u64],
) -> Template {
    Template {
        id,
        category: Category::Crud,
        domains,
        build: Build::With(build),
        goals,
        weight: 2,
    }
}

const fn none(
    id: &'static str,
    domains: &'static [TaskDomain],
    build: fn(&mut Ctx<'_>) -> Option<Draft>,
) -> Template {
    Template {
        id,
        category: Category::Unanswerable,
        domains,
        build: Build::With(build),
        goals: &[],
        weight: 2,
    }
}

pub(super) const TEMPLATES: &[Template] = &[
    // Mails and conversations.
    search(
        "conversation_id",
        ALL,
        talk::conversation_id,
        &[0x1e07_89fe_10e5_2222],
    ),
    search("thread_id", ALL, talk::thread_id, &[0x9f12_f1b1_b0fc_011a]),
    search(
        "message_with",
        ALL,
        talk::message_with,
        &[0xb222_d17e_f9e3_0c8a],
    ),
    search(
        "latest_mail",
        ALL,
        talk::latest_mail,
        &[0x554d_761a_f61c_5f2b],
    ),
    search(
        "mail_received",
        ALL,
        talk::mail_received,
        &[0x3c93_2a53_f109_cc17],
    ),
    search(
        "search_inbox",
        ALL,
        talk::search_inbox,
        &[0xe901_db41_7b26_1074],
    ),
    search(
        "subject_of_thread",
        ALL,
        talk::subject_of_thread,
        &[0x2af8_9dd0_720f_2c6d],
    ),
    crud("send_mail", ALL, talk::send_mail, &[0x68f5_4ac9_18f6_f425]),
    crud(
        "send_message",
        ALL,
        talk::send_message,
        &[0x9c2e_406f_b0bb_47af],
    ),
    crud("reply", ALL, talk::reply, &[]),
    crud("delete_mail", ALL, talk::delete_mail, &[]),
    search("card_of_found", ALL, compose::card_of_found, &[]).often(5),
    search("boss_of_found", ALL, compose::boss_of_found, &[]).often(7),
    crud("find_and_mail", ALL, compose::find_and_mail, &[]).often(4),
    crud("find_and_message", ALL, compose::find_and_message, &[]).often(4),
    // One's own record.
    mine("my_team", &own::TEAM, &[0x4ea3_df19_359d_9752]),
    mine("my_rating", &own::RATING, &[0x4a88_ec89_6caf_456d]),
    mine("my_casual_leaves", &own::CASUAL, &[0xddc7_055c_bb81_2099]),
    mine(
        "my_sick_and_vacation",
        &own::SICK_AND_VACATION,
        &[0x56e2_d7d2_9fb3_46f6],
    ),
    mine("my_leaves_taken", &own::TAKEN, &[0x0f22_90e5_c619_2284]),
    mine("my_salary", &own::SALARY, &[0xc0bc_78f2_c825_28d7]),
    mine("my_department", &own::DEPARTMENT, &[0x3a2a_c2f8_82be_daca]),
    mine("my_joining_date", &own::JOINED, &[0xec87_5daf_0fa4_3c99]),
    mine("my_skills", &own::SKILLS, &[0xad9a_15d6_820c_0259]),
    mine("my_key_skills", &own::KEY_SKILLS, &[0x459b_2482_9a30_4820]),
    mine("my_address", &own::EMAIL, &[0xdbe1_f00f_dc5a_1668]),
    mine("my_validity", &own::VALID, &[0x567d_587e_18f8_d2ab]),
    mine("my_marital_status", &own::MARITAL, &[0x82a4_35d7_4dd2_c12e]),
    mine("my_balances", &own::BALANCES, &[0x2a98_a4dc_c71b_750f]),
    search("my_status", HR, own::active, &[0x43b8_9b7d_932c_2614]),
    search(
        "my_certificates",
        HR,
        own::certified,
        &[0x5f45_7167_6d48_67c9],
    ),
    search(
        "my_leadership",
        HR,
        own::leadership,
        &[0xf9b4_c5dc_150a_859a],
    ),
    search("my_structure", HR, own::structure, &[0x026a_7347_4ff2_0d1d]),
    search(
        "my_programmes",
        HR,
        own::programmes,
        &[0x2c04_447d_2fce_2a9b],
    ),
    search("my_experience", HR, own::years, &[0xd796_91e5_eaf3_794a]),
    search(
        "policy_figure",
        &[TaskDomain::Hr, TaskDomain::It, TaskDomain::Business],
        people::policy_figure,
        &[0xd4ff_dfc7_368e_b5a4],
    ),
    // Other people's records.
    crud("hire", HR, people::register, &[0x26f3_1a3d_e479_0d5f]),
    crud(
        "hire_and_mail",
        HR,
        people::register_and_mail,
        &[0xb8cf_1950_f149_b685],
    ),
    crud("set_salary", HR, people::salary, &[0xe552_44cc_3662_1edc]),
    crud("set_leaves", HR, people::leaves, &[0x3358_903f_2394_8e23]),
    crud("transfer", HR, people::transfer, &[0x5d67_c622_fd9f_3a5a]),
    crud("set_rating", HR, people::rating, &[0x54a2_2aeb_301c_3f8e]),
    crud(
        "set_marital_status",
        HR,
        people::status,
        &[0x28c2_2299_3752_6046],
    ),
    crud("deactivate", HR, people::remove, &[0x6808_d24d_d72e_7aa4]),
    // Helpdesk.
    search(
        "ticket_id",
        IT,
        helpdesk::ticket_id,
        &[0x9338_49e3_3ee2_fbd8],
    ),
    search(
        "tickets_of_day",
        IT,
        helpdesk::tickets_of_day,
        &[0xd404_8dc6_d6b8_1486],
    ),
    search(
        "tickets_between",
        IT,
        helpdesk::tickets_between,
        &[0x7cf1_aa1b_e3f7_d609],
    ),
    search(
        "tickets_raised",
        IT,
        helpdesk::tickets_raised,
        &[0xa7fe_58fd_7b19_c235],
    ),
    crud(
        "raise_ticket",
        IT,
        helpdesk::raise,
        &[0x9da7_62c5_9d7c_3ad1],
    ),
    crud(
        "reprioritise",
        IT,
        helpdesk::reprioritise,
        &[0x0391_22dc_4e0a_e4ea],
    ),
    crud(
        "delete_ticket",
        IT,
        helpdesk::delete,
        &[0x4b97_f3ca_ed4b_621c],
    ),
    crud("resolve_ticket", IT, helpdesk::resolve, &[]),
    crud("reassign_ticket", IT, helpdesk::reassign, &[]),
    // Code.
    search(
        "repositories_with_issues",
        SWE,
        code::with_issues,
        &[0x2377_8690_c3be_0e50],
    ),
    search(
        "repositories_by_licence",
        SWE,
        code::licensed,
        &[0x5fed_b28f_578a_249c],
    ),
    search(
        "path_of_file",
        SWE,
        code::path_of_file,
        &[0x7e38_bc0f_1493_6fe7],
    ),
    search(
        "file_of_issue",
        SWE,
        code::file_of_issue,
        &[0x620c_a18b_f3ea_07fb],
    ),
    search(
        "newest_repository",
        SWE,
        code::newest,
        &[0x3f18_4995_9a77_d6a3],
    ),
    search("issue_status", SWE, code::issue_status, &[]),
    crud("repair", SWE, code::patch, &[0xc8e3_9b04_a5d5_1347]),
    crud(
        "repair_and_close",
        SWE,
        code::patch_and_close,
        &[0x42f6_8574_054f_5cf0],
    ),
    crud(
        "create_repository",
        SWE,
        code::create_repository,
        &[0x0d5a_24d5_01b5_2bc8],
    ),
    crud(
        "create_repository_and_mail",
        SWE,
        code::create_and_mail,
        &[0xae55_fc2a_b849_edcc],
    ),
    crud(
        "delete_issue",
        SWE,
        code::delete_issue,
        &[0x4012_f6ce_ad10_738b],
    ),
    crud(
        "open_issue",
        SWE,
        code::open_issue,
        &[0xf5d3_b3f2_09aa_b84c],
    ),
    crud(
        "close_issue_and_mail",
        SWE,
        code::close_and_notify,
        &[0xb60a_c03e_cf92_7945],
    ),
    crud("relicense", SWE, code::relicense, &[0xc8b5_4dae_2de8_542f]),
    crud(
        "repository_metadata",
        SWE,
        code::metadata,
        &[0x15d3_cf0d_2a31_b4c0],
    ),
    // Trade.
    search(
        "gave_feedback",
        SALES,
        trade::gave_feedback,
        &[0x5a9b_63d3_e398_6a80],
    ),
    search(
        "feedback_text",
        SALES,
        trade::feedback_text,
        &[0x01ce_eca6_1976_b83e],
    ),
    search(
        "feedback_dates",
        SALES,
        trade::feedback_dates,
        &[0x2665_d1c1_6069_93a0],
    ),
    search(
        "bought_and_reviewed",
        SALES,
        trade::bought_and_reviewed,
        &[0x91db_822f_a8e1_ee19],
    ),
    search(
        "feedback_sentiment",
        SALES,
        trade::sentiment,
        &[0x2721_7b87_20e6_5660],
    ),
    search("sale_story", SALES, trade::sale_story, &[]).often(4),
    search(
        "product_price",
        SALES,
        trade::price,
        &[0x0ef9_be45_54c8_770e],
    ),
    search(
        "product_reviewers",
        SALES,
        trade::reviewers,
        &[0x211d_ef8d_9501_b3df],
    ),
    search(
        "product_liked",
        SALES,
        trade::liked,
        &[0x45a8_4abc_9330_84f2],
    ),
    search(
        "product_details",
        SALES,
        trade::details,
        &[0x825e_cb0f_8aa9_ef91],
    ),
    search(
        "product_reviews",
        SALES,
        trade::review_list,
        &[0x5f4b_9a5e_b93d_6cb3],
    ),
    search(
        "product_any_positive",
        SALES,
        trade::any_positive,
        &[0xe9a7_a30c_6554_6626],
    ),
    search(
        "support_solutions",
        SALES,
        trade::solutions,
        &[0xeff4_11cb_9272_0582],
    ),
    search(
        "support_replacement",
        SALES,
        trade::replacement,
        &[0x98f7_a6b6_b5f6_f1b5],
    ),
    search(
        "support_refund",
        SALES,
        trade::refund,
        &[0x38fe_bee5_365c_5bf6],
    ),
    search(
        "support_guidance",
        SALES,
        trade::guidance,
        &[0x263c_217d_90f7_f0e8],
    ),
    search(
        "support_outcomes",
        SALES,
        trade::all_outcomes,
        &[0xd73a_8931_15fc_ef80],
    ),
    crud(
        "new_customer",
        SALES,
        trade::new_customer,
        &[0x9c40_5ac0_f991_dffb],
    ),
    crud(
        "rename_customer",
        SALES,
        trade::rename_customer,
        &[0xb032_a6d7_3eff_6d9f],
    ),
    crud(
        "add_review",
        SALES,
        trade::add_review,
        &[0xbc5e_a280_487a_b4c2],
    ),
    crud(
        "change_review",
        SALES,
        trade::change_review,
        &[0x3297_e148_5df8_59df],
    ),
    crud(
        "new_product",
        SALES,
        trade::new_product,
        &[0x4c5a_4e31_6832_598f],
    ),
    crud(
        "rename_product",
        SALES,
        trade::rename_product,
        &[0x1bb8_b05d_0c0b_6328],
    ),
    crud(
        "fix_price",
        SALES,
        trade::fix_price,
        &[0x6226_7169_9967_7177],
    ),
    crud(
        "discount_product",
        SALES,
        trade::discount,
        &[0x41ce_3a8c_0f7d_baf6],
    ),
    crud(
        "remove_product",
        SALES,
        trade::remove_product,
        &[0x34f5_f18d_b285_d594],
    ),
    crud("new_sale", SALES, trade::new_sale, &[0xbd9e_373d_ac40_d114]),
    crud(
        "sale_price",
        SALES,
        trade::sale_price,
        &[0x06ca_8fb6_00de_2779],
    ),
    crud(
        "sale_date",
        SALES,
        trade::sale_date,
        &[0xec10_6e0b_cdf0_eecd],
    ),
    crud(
        "delete_sale",
        SALES,
        trade::delete_sale,
        &[0x56ad_7beb_c4d3_b308],
    ),
    crud(
        "complaint",
        SALES,
        trade::complaint,
        &[0x3495_c4d5_0f0f_11d5],
    ),
    crud(
        "delete_complaint",
        SALES,
        trade::delete_complaint,
        &[0x6261_0941_4b85_19fd],
    ),
    // Business.
    search("client_contact", BUSINESS, business::contact, &[]),
    search("client_revenue", BUSINESS, business::revenue, &[]),
    search("client_trials", BUSINESS, business::trials, &[]),
    search("vendor_terms", BUSINESS, business::vendor, &[]),
    search("my_vendors", BUSINESS, business::vendors, &[]),
    search("order_total", BUSINESS, business::order_total, &[]),
    crud("client_phone", BUSINESS, business::new_phone, &[]),
    crud("accept_trial", BUSINESS, business::accept_trial, &[]),
    crud("move_vendor", BUSINESS, business::move_vendor, &[]),
    // What cannot be done.
    none("denied_mail", ALL, refusals::mail_of_others),
    none(
        "denied_pay",
        &[
            TaskDomain::Sales,
            TaskDomain::Swe,
            TaskDomain::It,
            TaskDomain::Business,
        ],
        refusals::pay_of_others,
    ),
    none("denied_raise", ALL, refusals::raise_barred),
    none("denied_price", ALL, refusals::price_barred),
    none(
        "denied_issue",
        &[TaskDomain::Swe, TaskDomain::It],
        refusals::issue_barred,
    ),
    none(
        "denied_repository",
        &[TaskDomain::Swe, TaskDomain::It],
        refusals::repository_barred,
    ),
    none("denied_ticket", IT, refusals::ticket_barred),
    none("denied_client", BUSINESS, refusals::client_barred),
    none("missing_mail", ALL, refusals::no_such_mail),
    none("missing_employee", ALL, refusals::no_such_employee),
    none("missing_ticket", IT, refusals::no_such_ticket),
    none("missing_sale", SALES, refusals::no_such_sale),
    none("missing_product", SALES, refusals::no_such_product),
    none("missing_repository", SWE, refusals::no_such_repository),
    none("missing_vendor", BUSINESS, refusals::no_such_vendor),
    none("ambiguous_colleague", ALL, refusals::which_colleague),
    none("ambiguous_conversation", ALL, refusals::which_conversation),
    none("ambiguous_ticket", IT, refusals::which_ticket),
    none("ambiguous_repository", SWE, refusals::which_repository),
    none("ambiguous_client", BUSINESS, refusals::which_client),
    none("ambiguous_sale", SALES, refusals::which_sale),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_and_goals_are_unique() {
        let names: BTreeSet<_> = TEMPLATES.iter().map(|t| t.id).collect();
        assert_eq!(names.len(), TEMPLATES.len());
        let goals: Vec<u64> = TEMPLATES
            .iter()
            .flat_map(|t| t.goals.iter().copied())
            .collect();
        assert_eq!(goals.iter().collect::<BTreeSet<_>>().len(), goals.len());
        for d in TaskDomain::ALL {
            for category in [Category::Search, Category::Crud, Category::Unanswerable] {
                let n = TEMPLATES
                    .iter()
                    .filter(|t| t.category == category && t.domains.contains(&d))
                    .count();
                assert!(n >= 6, "{d:?} {category:?} {n}");
            }
        }
    }
}
