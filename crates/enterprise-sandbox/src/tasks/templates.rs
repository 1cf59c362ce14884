//! The list of templates, with the published goal templates that each of them covers.
//!
//! A template is a kind of request. The 90 distinct texts of the published goal configurations are
//! all covered; each template states which, by a fingerprint of the text, so that the texts
//! themselves need not be repeated here. Templates without a goal are this crate's: requests about
//! clients and vendors, composed tasks, and all tasks that cannot be done.
//!
//! | file | templates are about |
//! |---|---|
//! | `plans/common.txt` | mails, conversations, colleagues, posts and policies, for every domain; returns in sales |
//! | `plans/hr.txt` | the own record and records of others |
//! | `plans/it.txt` | tickets |
//! | `plans/swe.txt` | repositories, files, issues |
//! | `plans/sales.txt` | products, sales, reviews, support chats |
//! | `plans/business.txt` | clients, vendors, contracts |
//! | `plans/refusals.txt` | what cannot be done, and requests in the same words |
//! | `functions.rs` | templates that are computed |
//!
//! Adding, removing or weighting a template moves the tasks of all seeds, so it raises the
//! environment's version.

use super::draft::{Ctx, Draft};
use super::{Category, TaskDomain, functions, plan};

/// One template.
pub(super) struct Template {
    pub(super) id: &'static str,
    pub(super) category: Category,
    pub(super) domains: &'static [TaskDomain],
    /// The function that makes a draft; without it the plan of this name does.
    pub(super) by: Option<Write>,
    /// Fingerprints (64-bit FNV-1a) of the published goal templates that it covers.
    pub(super) goals: &'static [u64],
    /// Relative frequency among the templates of its category in a domain. Tasks of several steps
    /// have more, so that the mean is about three.
    pub(super) weight: u32,
}

/// The public description of a template.
///
/// ```
/// use enterprise_sandbox::tasks::{Category, templates};
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
    all()
        .map(|t| TemplateInfo {
            id: t.id,
            category: t.category,
            domains: t.domains,
            goals: t.goals,
        })
        .collect()
}

/// Every template.
pub(super) fn all() -> impl Iterator<Item = &'static Template> {
    TEMPLATES.iter()
}

impl Template {
    /// The same, made by a function.
    const fn by(mut self, function: Write) -> Self {
        self.by = Some(function);
        self
    }

    pub(super) fn draft(&self, c: &mut Ctx<'_>) -> Option<Draft> {
        match self.by {
            Some(function) => function(c),
            None => plan::draft(c, self.id),
        }
    }
}

const ALL: &[TaskDomain] = &TaskDomain::ALL;
const HR: &[TaskDomain] = &[TaskDomain::Hr];
const IT: &[TaskDomain] = &[TaskDomain::It];
const SWE: &[TaskDomain] = &[TaskDomain::Swe];
const SALES: &[TaskDomain] = &[TaskDomain::Sales];
const BUSINESS: &[TaskDomain] = &[TaskDomain::Business];

/// Everybody whom the rules do not let see the private fields of all colleagues.
const NOT_HR: &[TaskDomain] = &[
    TaskDomain::Sales,
    TaskDomain::Swe,
    TaskDomain::It,
    TaskDomain::Business,
];

type Name = &'static str;
type Domains = &'static [TaskDomain];
type Write = fn(&mut Ctx<'_>) -> Option<Draft>;
type Goals = &'static [u64];

const fn search(id: Name, weight: u32, domains: Domains, goals: Goals) -> Template {
    Template {
        id,
        category: Category::Search,
        domains,
        by: None,
        goals,
        weight,
    }
}

const fn crud(id: Name, weight: u32, domains: Domains, goals: Goals) -> Template {
    Template {
        category: Category::Crud,
        ..search(id, weight, domains, goals)
    }
}

const fn none(id: Name, weight: u32, domains: Domains) -> Template {
    Template {
        category: Category::Unanswerable,
        ..search(id, weight, domains, &[])
    }
}

#[rustfmt::skip]
const TEMPLATES: &[Template] = &[
    // Mails, colleagues, policies.
    search("conversation_id", 1, ALL, &[0x1e07_89fe_10e5_2222]),
    search("thread_id", 1, ALL, &[0x9f12_f1b1_b0fc_011a]),
    search("message_with", 1, ALL, &[0xb222_d17e_f9e3_0c8a]),
    search("latest_mail", 2, ALL, &[0x554d_761a_f61c_5f2b]).by(functions::latest_mail),
    search("mail_received", 2, ALL, &[0x3c93_2a53_f109_cc17]),
    search("search_inbox", 2, ALL, &[0xe901_db41_7b26_1074]),
    search("subject_of_thread", 1, ALL, &[0x2af8_9dd0_720f_2c6d]),
    crud("send_mail", 4, ALL, &[0x68f5_4ac9_18f6_f425]),
    crud("send_message", 3, ALL, &[0x9c2e_406f_b0bb_47af]),
    crud("delete_mail", 3, ALL, &[]),
    search("card_of_found", 2, ALL, &[]),
    crud("find_and_mail", 4, ALL, &[]),
    crud("find_and_message", 4, ALL, &[]),
    search("policy_figure", 1, ALL, &[0xd4ff_dfc7_368e_b5a4]),
    search("boss_of_writer", 6, ALL, &[]),
    search("second_manager", 4, ALL, &[]),
    search("longest_in_team", 5, ALL, &[]),
    search("skill_in_team", 6, ALL, &[]),
    search("shared_manager", 7, ALL, &[]).by(functions::shared_manager),
    search("boss_of_handler", 7, ALL, &[]),
    search("accepted_author", 7, ALL, &[]),
    search("talks_with", 3, ALL, &[]),
    search("who_writes_more", 7, ALL, &[]),
    search("estimates", 2, ALL, &[]),
    search("mails_of_month", 1, ALL, &[]),
    search("two_rules", 5, ALL, &[]),
    search("policy_case", 7, ALL, &[]).by(functions::policy_case),
    search("pay_of", 2, ALL, &[]),
    search("rating_of", 3, ALL, &[]),
    search("leave_of", 2, ALL, &[]),
    search("sick_leave_of", 1, ALL, &[]),
    search("age_of", 1, ALL, &[]),
    search("colleague_card", 2, ALL, &[]),
    crud("answer_mail", 6, ALL, &[]),
    crud("pass_on_contact", 8, ALL, &[]),
    crud("thank_author", 8, ALL, &[]),
    crud("ask_handler", 4, ALL, &[]),
    crud("tell_my_team", 8, ALL, &[]),
    crud("tell_figure", 6, ALL, &[]),
    // Human resources.
    search("my_team", 2, HR, &[0x4ea3_df19_359d_9752]),
    search("my_rating", 2, HR, &[0x4a88_ec89_6caf_456d]),
    search("my_casual_leaves", 2, HR, &[0xddc7_055c_bb81_2099]),
    search("my_sick_and_vacation", 2, HR, &[0x56e2_d7d2_9fb3_46f6]),
    search("my_leaves_taken", 2, HR, &[0x0f22_90e5_c619_2284]),
    search("my_salary", 2, HR, &[0xc0bc_78f2_c825_28d7]),
    search("my_department", 2, HR, &[0x3a2a_c2f8_82be_daca]),
    search("my_joining_date", 2, HR, &[0xec87_5daf_0fa4_3c99]),
    search("my_skills", 2, HR, &[0xad9a_15d6_820c_0259]),
    search("my_key_skills", 2, HR, &[0x459b_2482_9a30_4820]),
    search("my_address", 2, HR, &[0xdbe1_f00f_dc5a_1668]),
    search("my_validity", 2, HR, &[0x567d_587e_18f8_d2ab]),
    search("my_marital_status", 2, HR, &[0x82a4_35d7_4dd2_c12e]),
    search("my_balances", 2, HR, &[0x2a98_a4dc_c71b_750f]),
    search("my_status", 1, HR, &[0x43b8_9b7d_932c_2614]),
    search("my_certificates", 1, HR, &[0x5f45_7167_6d48_67c9]),
    search("my_leadership", 1, HR, &[0xf9b4_c5dc_150a_859a]),
    search("my_structure", 2, HR, &[0x026a_7347_4ff2_0d1d]),
    search("my_programmes", 1, HR, &[0x2c04_447d_2fce_2a9b]),
    search("my_experience", 1, HR, &[0xd796_91e5_eaf3_794a]),
    crud("hire", 4, HR, &[0x26f3_1a3d_e479_0d5f]),
    crud("hire_and_mail", 4, HR, &[0xb8cf_1950_f149_b685]),
    crud("set_salary", 4, HR, &[0xe552_44cc_3662_1edc]),
    crud("set_leaves", 4, HR, &[0x3358_903f_2394_8e23]),
    crud("transfer", 4, HR, &[0x5d67_c622_fd9f_3a5a]),
    crud("set_rating", 4, HR, &[0x54a2_2aeb_301c_3f8e]),
    crud("set_marital_status", 4, HR, &[0x28c2_2299_3752_6046]),
    crud("deactivate", 4, HR, &[0x6808_d24d_d72e_7aa4]),
    search("pay_gap", 6, HR, &[]),
    search("team_vacation", 13, HR, &[]),
    search("best_rated", 10, HR, &[]),
    search("lapsing_vacation", 8, HR, &[]),
    crud("book_leave", 11, HR, &[]),
    crud("raise_lowest", 14, HR, &[]),
    crud("match_pay", 8, HR, &[]),
    // Helpdesk.
    search("ticket_id", 2, IT, &[0x9338_49e3_3ee2_fbd8]),
    search("tickets_of_day", 2, IT, &[0xd404_8dc6_d6b8_1486]),
    search("tickets_between", 2, IT, &[0x7cf1_aa1b_e3f7_d609]),
    search("tickets_raised", 2, IT, &[0xa7fe_58fd_7b19_c235]),
    crud("raise_ticket", 2, IT, &[0x9da7_62c5_9d7c_3ad1]),
    crud("reprioritise", 4, IT, &[0x0391_22dc_4e0a_e4ea]),
    crud("delete_ticket", 4, IT, &[0x4b97_f3ca_ed4b_621c]),
    crud("reassign_ticket", 4, IT, &[]),
    search("handler_and_manager", 12, IT, &[]).by(functions::handler_and_manager),
    search("oldest_open_ticket", 3, IT, &[]),
    search("busier_of_two", 13, IT, &[]),
    search("repair_time", 8, IT, &[]),
    search("my_ticket_load", 1, IT, &[]),
    search("my_ticket", 2, IT, &[]),
    crud("resolve_and_tell", 14, IT, &[]),
    crud("escalate", 14, IT, &[]),
    crud("hand_to_less_busy", 20, IT, &[]),
    // Code.
    search("repositories_with_issues", 2, SWE, &[0x2377_8690_c3be_0e50]),
    search("repositories_by_licence", 2, SWE, &[0x5fed_b28f_578a_249c]),
    search("path_of_file", 2, SWE, &[0x7e38_bc0f_1493_6fe7]).by(functions::path_of_file),
    search("file_of_issue", 2, SWE, &[0x620c_a18b_f3ea_07fb]),
    search("newest_repository", 2, SWE, &[0x3f18_4995_9a77_d6a3]),
    search("issue_status", 2, SWE, &[]),
    crud("repair", 5, SWE, &[0xc8e3_9b04_a5d5_1347]),
    crud("repair_and_close", 6, SWE, &[0x42f6_8574_054f_5cf0]),
    crud("create_repository", 2, SWE, &[0x0d5a_24d5_01b5_2bc8]),
    crud("create_repository_and_mail", 4, SWE, &[0xae55_fc2a_b849_edcc]),
    crud("delete_issue", 4, SWE, &[0x4012_f6ce_ad10_738b]),
    crud("open_issue", 4, SWE, &[0xf5d3_b3f2_09aa_b84c]),
    crud("close_issue_and_mail", 4, SWE, &[0xb60a_c03e_cf92_7945]),
    crud("relicense", 4, SWE, &[0xc8b5_4dae_2de8_542f]),
    crud("repository_metadata", 4, SWE, &[0x15d3_cf0d_2a31_b4c0]),
    search("open_issues_of", 18, SWE, &[]),
    search("newest_of_colleague", 6, SWE, &[]),
    search("oldest_issue", 14, SWE, &[]),
    search("more_repositories", 12, SWE, &[]),
    search("boss_of_owner", 10, SWE, &[]),
    search("my_repository", 2, SWE, &[]),
    crud("relicense_all", 12, SWE, &[]),
    crud("close_and_tell_owner", 14, SWE, &[]),
    // Trade.
    search("gave_feedback", 2, SALES, &[0x5a9b_63d3_e398_6a80]),
    search("feedback_text", 2, SALES, &[0x01ce_eca6_1976_b83e]),
    search("feedback_dates", 2, SALES, &[0x2665_d1c1_6069_93a0]),
    search("bought_and_reviewed", 2, SALES, &[0x91db_822f_a8e1_ee19]),
    search("feedback_sentiment", 2, SALES, &[0x2721_7b87_20e6_5660]),
    search("product_price", 2, SALES, &[0x0ef9_be45_54c8_770e]),
    search("product_reviewers", 2, SALES, &[0x211d_ef8d_9501_b3df]),
    search("product_liked", 2, SALES, &[0x45a8_4abc_9330_84f2]),
    search("product_details", 2, SALES, &[0x825e_cb0f_8aa9_ef91]),
    search("product_reviews", 2, SALES, &[0x5f4b_9a5e_b93d_6cb3]),
    search("product_any_positive", 2, SALES, &[0xe9a7_a30c_6554_6626]),
    search("support_solutions", 2, SALES, &[0xeff4_11cb_9272_0582]),
    search("support_replacement", 2, SALES, &[0x98f7_a6b6_b5f6_f1b5]),
    search("support_refund", 2, SALES, &[0x38fe_bee5_365c_5bf6]),
    search("support_guidance", 2, SALES, &[0x263c_217d_90f7_f0e8]),
    search("support_outcomes", 2, SALES, &[0xd73a_8931_15fc_ef80]),
    crud("new_customer", 2, SALES, &[0x9c40_5ac0_f991_dffb]),
    crud("rename_customer", 4, SALES, &[0xb032_a6d7_3eff_6d9f]),
    crud("add_review", 4, SALES, &[0xbc5e_a280_487a_b4c2]),
    crud("change_review", 4, SALES, &[0x3297_e148_5df8_59df]),
    crud("new_product", 4, SALES, &[0x4c5a_4e31_6832_598f]),
    crud("rename_product", 4, SALES, &[0x1bb8_b05d_0c0b_6328]),
    crud("fix_price", 4, SALES, &[0x6226_7169_9967_7177]),
    crud("discount_product", 4, SALES, &[0x41ce_3a8c_0f7d_baf6]),
    crud("remove_product", 4, SALES, &[0x34f5_f18d_b285_d594]),
    crud("new_sale", 4, SALES, &[0xbd9e_373d_ac40_d114]),
    crud("sale_price", 4, SALES, &[0x06ca_8fb6_00de_2779]),
    crud("sale_date", 4, SALES, &[0xec10_6e0b_cdf0_eecd]),
    crud("delete_sale", 4, SALES, &[0x56ad_7beb_c4d3_b308]),
    crud("complaint", 4, SALES, &[0x3495_c4d5_0f0f_11d5]),
    crud("delete_complaint", 4, SALES, &[0x6261_0941_4b85_19fd]),
    search("dearest_purchase", 10, SALES, &[]),
    search("spent_more", 10, SALES, &[]),
    search("complaint_story", 20, SALES, &[]),
    search("boss_of_rep", 12, SALES, &[]),
    search("better_liked", 14, SALES, &[]),
    search("unhappy_customers", 22, SALES, &[]),
    search("first_buyer", 8, SALES, &[]),
    search("best_year", 4, SALES, &[]),
    search("last_purchase", 8, SALES, &[]),
    search("opinion_and_price", 11, SALES, &[]),
    search("latest_handler", 8, SALES, &[]),
    search("discount_for_me", 8, SALES, &[]).by(functions::discount_for_me),
    search("last_day_to_return", 10, SALES, &[]),
    search("purchase", 5, SALES, &[]),
    crud("ask_rep", 10, SALES, &[]),
    crud("match_price", 8, SALES, &[]),
    crud("rebook_sale", 14, SALES, &[]),
    crud("mail_return_day", 16, SALES, &[]),
    // Business.
    search("client_contact", 2, BUSINESS, &[]),
    search("client_revenue", 2, BUSINESS, &[]),
    search("client_trials", 2, BUSINESS, &[]),
    search("vendor_terms", 2, BUSINESS, &[]),
    search("my_vendors", 2, BUSINESS, &[]),
    search("order_total", 2, BUSINESS, &[]).by(functions::invoice),
    crud("client_phone", 2, BUSINESS, &[]),
    crud("accept_trial", 2, BUSINESS, &[]),
    crud("move_vendor", 2, BUSINESS, &[]),
    search("boss_of_vendor_rep", 8, BUSINESS, &[]),
    search("boss_of_client_rep", 8, BUSINESS, &[]),
    search("biggest_client", 6, BUSINESS, &[]),
    search("stronger_book", 18, BUSINESS, &[]),
    search("client_gap", 6, BUSINESS, &[]),
    search("oldest_vendor", 6, BUSINESS, &[]),
    search("product_year", 6, BUSINESS, &[]),
    search("client_state", 2, BUSINESS, &[]),
    search("my_client", 2, BUSINESS, &[]),
    crud("hand_over_client", 12, BUSINESS, &[]),
    crud("partner_to_less_busy", 20, BUSINESS, &[]),
    crud("accept_and_tell", 10, BUSINESS, &[]),
    // What cannot be done. A template is frequent if it has many wordings: where few wordings are often
    // refused for the same reason, the wording gives the refusal away.
    none("denied_pay", 1, NOT_HR),
    none("denied_rating", 1, NOT_HR),
    none("denied_leave", 1, NOT_HR),
    none("denied_sick_leave", 1, NOT_HR),
    none("denied_age", 1, NOT_HR),
    none("denied_pay_gap", 1, NOT_HR),
    none("denied_team", 1, NOT_HR),
    none("denied_raise", 1, ALL),
    none("denied_record", 2, ALL),
    none("denied_price", 2, &[TaskDomain::Sales, TaskDomain::Business]),
    none("denied_licence", 4, SWE),
    none("denied_ticket", 4, IT),
    none("denied_client", 4, BUSINESS),
    none("denied_vendor", 4, BUSINESS),
    none("missing_colleague", 6, ALL).by(functions::no_such_colleague),
    none("missing_ticket", 4, IT),
    none("missing_own_ticket", 4, IT),
    none("missing_own_repository", 4, SWE),
    none("missing_own_client", 4, BUSINESS),
    none("ambiguous_ticket_of", 4, IT),
    none("missing_sale", 4, SALES),
    none("missing_product", 4, SALES),
    none("missing_repository", 4, SWE),
    none("missing_vendor", 4, BUSINESS).by(functions::no_such_vendor),
    none("missing_conversation", 2, ALL),
    none("missing_mail", 1, ALL),
    none("ambiguous_colleague", 5, ALL).by(functions::which_colleague),
    none("ambiguous_conversation", 1, ALL),
    none("ambiguous_ticket", 4, IT),
    none("ambiguous_repository", 4, SWE),
    none("ambiguous_client", 4, BUSINESS),
    none("ambiguous_sale", 4, SALES),
    // Contracts with vendors.
    search("contract_end", 3, BUSINESS, &[]),
    search("contract_notice", 8, BUSINESS, &[]),
    crud("extend_contract", 8, BUSINESS, &[]),
    none("denied_contract", 4, BUSINESS),
    none("missing_contract", 4, BUSINESS),
];
