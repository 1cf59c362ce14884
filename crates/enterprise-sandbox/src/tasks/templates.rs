//! The list of templates, with the published goal templates that each of them covers.
//!
//! A template is a kind of request. The 90 distinct texts of the published goal configurations are
//! all covered; each template states which, by a fingerprint of the text, so that the texts
//! themselves need not be repeated here. Templates without a goal are this crate's: requests about
//! clients and vendors, composed tasks, and all tasks that cannot be done.
//!
//! | file | templates are about |
//! |---|---|
//! | `common.rs` | mails, conversations, colleagues, posts and policies, for every domain; discounts and returns in sales |
//! | `hr.rs` | the own record and records of others; fields of one record |
//! | `it.rs` | tickets |
//! | `swe.rs` | repositories, files, issues |
//! | `sales.rs` | products, sales, reviews, support chats |
//! | `business.rs`, `templates/contracts.rs` | clients, vendors, contracts |
//! | `refusals.rs` | what cannot be done, and requests in the same words, for every domain or the one that the data belongs to |
//!
//! Adding, removing or weighting a template moves the tasks of all seeds, so it raises the
//! environment's version.

mod contracts;

use super::FactKind::{Date, Id, List, Number, Text};
use super::draft::{Ctx, Draft};
use super::hr::{self, Question, about, own};
use super::refusals::{AGE, CLIENT, LEAVE, PAY, RATING, REPOSITORY, SICK, TICKET};
use super::{Category, TaskDomain, business, common, it, refusals, sales, swe};
use crate::data::tables::TableId;

/// How a draft is made.
#[derive(Clone, Copy)]
pub(super) enum Build {
    /// By a separate function.
    With(Write),
    /// A question about the fields of one record.
    Ask(Question),
}

/// One template.
pub(super) struct Template {
    pub(super) id: &'static str,
    pub(super) category: Category,
    pub(super) domains: &'static [TaskDomain],
    pub(super) build: Build,
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

/// Every template: those listed here, then those of tables that the published data do not have.
pub(super) fn all() -> impl Iterator<Item = &'static Template> {
    TEMPLATES.iter().chain(contracts::TEMPLATES)
}

impl Template {
    pub(super) fn draft(&self, c: &mut Ctx<'_>) -> Option<Draft> {
        match self.build {
            Build::With(build) => build(c),
            Build::Ask(question) => question.draft(c),
        }
    }
}

const ALL: &[TaskDomain] = &TaskDomain::ALL;
const HR: &[TaskDomain] = &[TaskDomain::Hr];
const IT: &[TaskDomain] = &[TaskDomain::It];
const SWE: &[TaskDomain] = &[TaskDomain::Swe];
const SALES: &[TaskDomain] = &[TaskDomain::Sales];
pub(super) const BUSINESS: &[TaskDomain] = &[TaskDomain::Business];

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

/// The common shape of the constructors below, which a line of the table calls.
const fn template(
    id: Name,
    (category, weight): (Category, u32),
    domains: Domains,
    build: Build,
    goals: Goals,
) -> Template {
    Template {
        id,
        category,
        domains,
        build,
        goals,
        weight,
    }
}

const fn search(id: Name, weight: u32, domains: Domains, build: Write, goals: Goals) -> Template {
    let kind = (Category::Search, weight);
    template(id, kind, domains, Build::With(build), goals)
}

const fn ask(id: Name, weight: u32, domains: Domains, what: Question, goals: Goals) -> Template {
    let kind = (Category::Search, weight);
    template(id, kind, domains, Build::Ask(what), goals)
}

const fn mine(id: Name, weight: u32, own: Question, goals: Goals) -> Template {
    ask(id, weight, HR, own, goals)
}

const fn crud(id: Name, weight: u32, domains: Domains, build: Write, goals: Goals) -> Template {
    let kind = (Category::Crud, weight);
    template(id, kind, domains, Build::With(build), goals)
}

const fn none(id: Name, weight: u32, domains: Domains, build: Write) -> Template {
    let kind = (Category::Unanswerable, weight);
    template(id, kind, domains, Build::With(build), &[])
}

#[rustfmt::skip]
const TEMPLATES: &[Template] = &[
    // Mails, colleagues, policies.
    search("conversation_id", 1, ALL, common::conversation_id, &[0x1e07_89fe_10e5_2222]),
    search("thread_id", 1, ALL, common::thread_id, &[0x9f12_f1b1_b0fc_011a]),
    search("message_with", 1, ALL, common::message_with, &[0xb222_d17e_f9e3_0c8a]),
    search("latest_mail", 2, ALL, common::latest_mail, &[0x554d_761a_f61c_5f2b]),
    search("mail_received", 2, ALL, common::mail_received, &[0x3c93_2a53_f109_cc17]),
    search("search_inbox", 2, ALL, common::search_inbox, &[0xe901_db41_7b26_1074]),
    search("subject_of_thread", 1, ALL, common::subject_of_thread, &[0x2af8_9dd0_720f_2c6d]),
    crud("send_mail", 4, ALL, common::send_mail, &[0x68f5_4ac9_18f6_f425]),
    crud("send_message", 3, ALL, common::send_message, &[0x9c2e_406f_b0bb_47af]),
    crud("delete_mail", 3, ALL, common::delete_mail, &[]),
    search("card_of_found", 2, ALL, common::card_of_found, &[]),
    crud("find_and_mail", 4, ALL, common::find_and_mail, &[]),
    crud("find_and_message", 4, ALL, common::find_and_message, &[]),
    search("policy_figure", 1, ALL, common::policy_figure, &[0xd4ff_dfc7_368e_b5a4]),
    search("boss_of_writer", 6, ALL, common::boss_of_writer, &[]),
    search("second_manager", 4, ALL, common::second_manager, &[]),
    search("longest_in_team", 5, ALL, common::longest_in_team, &[]),
    search("skill_in_team", 6, ALL, common::skill_in_team, &[]),
    search("shared_manager", 7, ALL, common::shared_manager, &[]),
    search("boss_of_handler", 7, ALL, common::boss_of_handler, &[]),
    search("accepted_author", 7, ALL, common::accepted_author, &[]),
    search("talks_with", 3, ALL, common::talks_with, &[]),
    search("who_writes_more", 7, ALL, common::who_writes_more, &[]),
    search("estimates", 2, ALL, common::estimates, &[]),
    search("mails_of_month", 1, ALL, common::mails_of_month, &[]),
    search("two_rules", 5, ALL, common::two_rules, &[]),
    search("policy_case", 7, ALL, common::policy_case, &[]),
    search("pay_of", 2, ALL, |c| PAY.answered(c), &[]),
    search("rating_of", 3, ALL, |c| RATING.answered(c), &[]),
    search("leave_of", 2, ALL, |c| LEAVE.answered(c), &[]),
    search("sick_leave_of", 1, ALL, |c| SICK.answered(c), &[]),
    search("age_of", 1, ALL, |c| AGE.answered(c), &[]),
    search("colleague_card", 2, ALL, refusals::card, &[]),
    crud("answer_mail", 6, ALL, common::answer_mail, &[]),
    crud("pass_on_contact", 8, ALL, common::pass_on_contact, &[]),
    crud("thank_author", 8, ALL, common::thank_author, &[]),
    crud("ask_handler", 4, ALL, common::ask_handler, &[]),
    crud("tell_my_team", 8, ALL, common::tell_my_team, &[]),
    crud("tell_figure", 6, ALL, common::tell_figure, &[]),
    // Human resources.
    mine("my_team", 2, own("own.team", &[("reports_to", Id), ("reportees", List)]), &[0x4ea3_df19_359d_9752]),
    mine("my_rating", 2, own("own.rating", &[("Performance Rating", Number), ("Salary", Number)]), &[0x4a88_ec89_6caf_456d]),
    mine("my_casual_leaves", 2, own("own.casual", &[("Remaining Casual Leaves", Number), ("Total Leaves Taken", Number)]), &[0xddc7_055c_bb81_2099]),
    mine("my_sick_and_vacation", 2, own("own.sick_and_vacation", &[("Remaining Sick Leaves", Number), ("Remaining Vacation Leaves", Number)]), &[0x56e2_d7d2_9fb3_46f6]),
    mine("my_leaves_taken", 2, own("own.taken", &[("Total Leaves Taken", Number), ("Remaining Vacation Leaves", Number)]), &[0x0f22_90e5_c619_2284]),
    mine("my_salary", 2, own("own.salary", &[("Salary", Number)]), &[0xc0bc_78f2_c825_28d7]),
    mine("my_department", 2, own("own.department", &[("category", Id), ("Level", Id), ("DOJ", Date)]).beside(&["DOL"]), &[0x3a2a_c2f8_82be_daca]),
    mine("my_joining_date", 2, own("own.joined", &[("DOJ", Date)]).beside(&["DOL"]), &[0xec87_5daf_0fa4_3c99]),
    mine("my_skills", 2, own("own.skills", &[("skills", List)]), &[0xad9a_15d6_820c_0259]),
    mine("my_key_skills", 2, own("own.key_skills", &[("skills", List)]), &[0x459b_2482_9a30_4820]),
    mine("my_address", 2, own("own.email", &[("email", Id)]), &[0xdbe1_f00f_dc5a_1668]),
    search("my_validity", 2, HR, hr::still_valid, &[0x567d_587e_18f8_d2ab]),
    mine("my_marital_status", 2, own("own.marital", &[("Marital Status", Text), ("Age", Number)]), &[0x82a4_35d7_4dd2_c12e]),
    mine("my_balances", 2, own("own.balances", &[("Remaining Casual Leaves", Number), ("Remaining Sick Leaves", Number), ("Remaining Vacation Leaves", Number)]), &[0x2a98_a4dc_c71b_750f]),
    search("my_status", 1, HR, hr::active, &[0x43b8_9b7d_932c_2614]),
    search("my_certificates", 1, HR, hr::certified, &[0x5f45_7167_6d48_67c9]),
    search("my_leadership", 1, HR, hr::leadership, &[0xf9b4_c5dc_150a_859a]),
    search("my_structure", 2, HR, hr::shared_skills, &[0x026a_7347_4ff2_0d1d]),
    search("my_programmes", 1, HR, hr::programmes, &[0x2c04_447d_2fce_2a9b]),
    search("my_experience", 1, HR, hr::years, &[0xd796_91e5_eaf3_794a]),
    crud("hire", 4, HR, hr::register, &[0x26f3_1a3d_e479_0d5f]),
    crud("hire_and_mail", 4, HR, hr::register_and_mail, &[0xb8cf_1950_f149_b685]),
    crud("set_salary", 4, HR, hr::salary, &[0xe552_44cc_3662_1edc]),
    crud("set_leaves", 4, HR, hr::leaves, &[0x3358_903f_2394_8e23]),
    crud("transfer", 4, HR, hr::transfer, &[0x5d67_c622_fd9f_3a5a]),
    crud("set_rating", 4, HR, hr::rating, &[0x54a2_2aeb_301c_3f8e]),
    crud("set_marital_status", 4, HR, hr::status, &[0x28c2_2299_3752_6046]),
    crud("deactivate", 4, HR, hr::remove, &[0x6808_d24d_d72e_7aa4]),
    search("pay_gap", 6, HR, hr::pay_gap, &[]),
    search("team_vacation", 13, HR, hr::team_vacation, &[]),
    search("best_rated", 10, HR, hr::best_rated, &[]),
    search("lapsing_vacation", 8, HR, hr::lapsing_vacation, &[]),
    crud("book_leave", 11, HR, hr::book_leave, &[]),
    crud("raise_lowest", 14, HR, hr::raise_lowest, &[]),
    crud("match_pay", 8, HR, hr::match_pay, &[]),
    // Helpdesk.
    search("ticket_id", 2, IT, it::ticket_of, &[0x9338_49e3_3ee2_fbd8]),
    search("tickets_of_day", 2, IT, it::tickets_of_day, &[0xd404_8dc6_d6b8_1486]),
    search("tickets_between", 2, IT, it::tickets_between, &[0x7cf1_aa1b_e3f7_d609]),
    search("tickets_raised", 2, IT, it::tickets_raised, &[0xa7fe_58fd_7b19_c235]),
    crud("raise_ticket", 2, IT, it::raise, &[0x9da7_62c5_9d7c_3ad1]),
    crud("reprioritise", 4, IT, it::reprioritise, &[0x0391_22dc_4e0a_e4ea]),
    crud("delete_ticket", 4, IT, it::delete, &[0x4b97_f3ca_ed4b_621c]),
    crud("reassign_ticket", 4, IT, it::reassign, &[]),
    search("handler_and_manager", 12, IT, it::handler_and_manager, &[]),
    search("oldest_open_ticket", 3, IT, it::oldest_open, &[]),
    search("busier_of_two", 13, IT, it::busier, &[]),
    search("repair_time", 8, IT, it::repair_time, &[]),
    search("my_ticket_load", 1, IT, it::my_load, &[]),
    search("my_ticket", 2, IT, |c| refusals::one_record(c, &TICKET), &[]),
    crud("resolve_and_tell", 14, IT, it::resolve_and_tell, &[]),
    crud("escalate", 14, IT, it::escalate, &[]),
    crud("hand_to_less_busy", 20, IT, it::hand_to_less_busy, &[]),
    // Code.
    search("repositories_with_issues", 2, SWE, swe::with_issues, &[0x2377_8690_c3be_0e50]),
    search("repositories_by_licence", 2, SWE, swe::licensed, &[0x5fed_b28f_578a_249c]),
    search("path_of_file", 2, SWE, swe::path_of_file, &[0x7e38_bc0f_1493_6fe7]),
    search("file_of_issue", 2, SWE, swe::file_of_issue, &[0x620c_a18b_f3ea_07fb]),
    search("newest_repository", 2, SWE, swe::newest, &[0x3f18_4995_9a77_d6a3]),
    search("issue_status", 2, SWE, swe::issue_status, &[]),
    crud("repair", 5, SWE, swe::patch, &[0xc8e3_9b04_a5d5_1347]),
    crud("repair_and_close", 6, SWE, swe::patch_and_close, &[0x42f6_8574_054f_5cf0]),
    crud("create_repository", 2, SWE, swe::create_repository, &[0x0d5a_24d5_01b5_2bc8]),
    crud("create_repository_and_mail", 4, SWE, swe::create_and_mail, &[0xae55_fc2a_b849_edcc]),
    crud("delete_issue", 4, SWE, swe::delete_issue, &[0x4012_f6ce_ad10_738b]),
    crud("open_issue", 4, SWE, swe::open_issue, &[0xf5d3_b3f2_09aa_b84c]),
    crud("close_issue_and_mail", 4, SWE, swe::close_and_notify, &[0xb60a_c03e_cf92_7945]),
    crud("relicense", 4, SWE, swe::relicense, &[0xc8b5_4dae_2de8_542f]),
    crud("repository_metadata", 4, SWE, swe::metadata, &[0x15d3_cf0d_2a31_b4c0]),
    search("open_issues_of", 18, SWE, swe::open_issues_of, &[]),
    search("newest_of_colleague", 6, SWE, swe::newest_of, &[]),
    search("oldest_issue", 14, SWE, swe::oldest_issue, &[]),
    search("more_repositories", 12, SWE, swe::more_repositories, &[]),
    search("boss_of_owner", 10, SWE, swe::boss_of_owner, &[]),
    search("my_repository", 2, SWE, |c| refusals::one_record(c, &REPOSITORY), &[]),
    crud("relicense_all", 12, SWE, swe::relicense_all, &[]),
    crud("close_and_tell_owner", 14, SWE, swe::close_and_tell_owner, &[]),
    // Trade.
    search("gave_feedback", 2, SALES, sales::gave_feedback, &[0x5a9b_63d3_e398_6a80]),
    search("feedback_text", 2, SALES, sales::feedback_text, &[0x01ce_eca6_1976_b83e]),
    search("feedback_dates", 2, SALES, sales::feedback_dates, &[0x2665_d1c1_6069_93a0]),
    search("bought_and_reviewed", 2, SALES, sales::bought_and_reviewed, &[0x91db_822f_a8e1_ee19]),
    search("feedback_sentiment", 2, SALES, sales::sentiment, &[0x2721_7b87_20e6_5660]),
    search("product_price", 2, SALES, sales::price, &[0x0ef9_be45_54c8_770e]),
    search("product_reviewers", 2, SALES, sales::reviewers, &[0x211d_ef8d_9501_b3df]),
    search("product_liked", 2, SALES, sales::liked, &[0x45a8_4abc_9330_84f2]),
    search("product_details", 2, SALES, sales::details, &[0x825e_cb0f_8aa9_ef91]),
    search("product_reviews", 2, SALES, sales::review_list, &[0x5f4b_9a5e_b93d_6cb3]),
    search("product_any_positive", 2, SALES, sales::any_positive, &[0xe9a7_a30c_6554_6626]),
    search("support_solutions", 2, SALES, sales::solutions, &[0xeff4_11cb_9272_0582]),
    search("support_replacement", 2, SALES, sales::replacement, &[0x98f7_a6b6_b5f6_f1b5]),
    search("support_refund", 2, SALES, sales::refund, &[0x38fe_bee5_365c_5bf6]),
    search("support_guidance", 2, SALES, sales::offer_and_day, &[0x263c_217d_90f7_f0e8]),
    search("support_outcomes", 2, SALES, sales::all_outcomes, &[0xd73a_8931_15fc_ef80]),
    crud("new_customer", 2, SALES, sales::new_customer, &[0x9c40_5ac0_f991_dffb]),
    crud("rename_customer", 4, SALES, sales::rename_customer, &[0xb032_a6d7_3eff_6d9f]),
    crud("add_review", 4, SALES, sales::add_review, &[0xbc5e_a280_487a_b4c2]),
    crud("change_review", 4, SALES, sales::change_review, &[0x3297_e148_5df8_59df]),
    crud("new_product", 4, SALES, sales::new_product, &[0x4c5a_4e31_6832_598f]),
    crud("rename_product", 4, SALES, sales::rename_product, &[0x1bb8_b05d_0c0b_6328]),
    crud("fix_price", 4, SALES, sales::fix_price, &[0x6226_7169_9967_7177]),
    crud("discount_product", 4, SALES, sales::discount, &[0x41ce_3a8c_0f7d_baf6]),
    crud("remove_product", 4, SALES, sales::remove_product, &[0x34f5_f18d_b285_d594]),
    crud("new_sale", 4, SALES, sales::new_sale, &[0xbd9e_373d_ac40_d114]),
    crud("sale_price", 4, SALES, sales::sale_price, &[0x06ca_8fb6_00de_2779]),
    crud("sale_date", 4, SALES, sales::sale_date, &[0xec10_6e0b_cdf0_eecd]),
    crud("delete_sale", 4, SALES, sales::delete_sale, &[0x56ad_7beb_c4d3_b308]),
    crud("complaint", 4, SALES, sales::complaint, &[0x3495_c4d5_0f0f_11d5]),
    crud("delete_complaint", 4, SALES, sales::delete_complaint, &[0x6261_0941_4b85_19fd]),
    search("dearest_purchase", 10, SALES, sales::dearest_purchase, &[]),
    search("spent_more", 10, SALES, sales::spent_more, &[]),
    search("complaint_story", 20, SALES, sales::complaint_story, &[]),
    search("boss_of_rep", 12, SALES, sales::boss_of_rep, &[]),
    search("better_liked", 14, SALES, sales::better_liked, &[]),
    search("unhappy_customers", 22, SALES, sales::unhappy, &[]),
    search("first_buyer", 8, SALES, sales::first_buyer, &[]),
    search("best_year", 4, SALES, sales::best_year, &[]),
    search("last_purchase", 8, SALES, sales::last_purchase, &[]),
    search("opinion_and_price", 11, SALES, sales::opinion_and_price, &[]),
    search("latest_handler", 8, SALES, sales::latest_handler, &[]),
    search("discount_for_me", 8, SALES, common::discount_for_me, &[]),
    search("last_day_to_return", 10, SALES, common::last_day_to_return, &[]),
    search("purchase", 5, SALES, refusals::purchase, &[]),
    crud("ask_rep", 10, SALES, sales::ask_rep, &[]),
    crud("match_price", 8, SALES, sales::match_price, &[]),
    crud("rebook_sale", 14, SALES, sales::rebook_sale, &[]),
    crud("mail_return_day", 16, SALES, common::mail_return_day, &[]),
    // Business.
    ask("client_contact", 2, BUSINESS, about(TableId::Clients, "client", "business.contact", &[("contact_person_name", Text), ("phone_number", Id)]), &[]),
    ask("client_revenue", 2, BUSINESS, about(TableId::Clients, "client", "business.revenue", &[("monthly_revenue", Number), ("industry", Text)]), &[]),
    search("client_trials", 2, BUSINESS, business::trials, &[]),
    ask("vendor_terms", 2, BUSINESS, about(TableId::Vendors, "vendor", "business.vendor", &[("onboarding_date", Date), ("business_type", Text)]), &[]),
    search("my_vendors", 2, BUSINESS, business::vendors, &[]),
    search("order_total", 2, BUSINESS, business::invoice, &[]),
    crud("client_phone", 2, BUSINESS, business::new_phone, &[]),
    crud("accept_trial", 2, BUSINESS, business::accept_trial, &[]),
    crud("move_vendor", 2, BUSINESS, business::move_vendor, &[]),
    search("boss_of_vendor_rep", 8, BUSINESS, business::boss_of_vendor_rep, &[]),
    search("boss_of_client_rep", 8, BUSINESS, business::boss_of_client_rep, &[]),
    search("biggest_client", 6, BUSINESS, business::biggest_client, &[]),
    search("stronger_book", 18, BUSINESS, business::stronger_book, &[]),
    search("client_gap", 6, BUSINESS, business::client_gap, &[]),
    search("oldest_vendor", 6, BUSINESS, business::oldest_vendor, &[]),
    search("product_year", 6, BUSINESS, business::product_year, &[]),
    ask("client_state", 2, BUSINESS, about(TableId::Clients, "client", "business.client_state", &[("POC_status", Id), ("current_POC_product", Text)]), &[]),
    search("my_client", 2, BUSINESS, |c| refusals::one_record(c, &CLIENT), &[]),
    crud("hand_over_client", 12, BUSINESS, business::hand_over_client, &[]),
    crud("partner_to_less_busy", 20, BUSINESS, business::hand_to_less_busy, &[]),
    crud("accept_and_tell", 10, BUSINESS, business::accept_and_tell, &[]),
    // What cannot be done. A template is frequent if it has many wordings: where few wordings are often
    // refused for the same reason, the wording gives the refusal away.
    none("denied_pay", 1, NOT_HR, |c| PAY.refused(c)),
    none("denied_rating", 1, NOT_HR, |c| RATING.refused(c)),
    none("denied_leave", 1, NOT_HR, |c| LEAVE.refused(c)),
    none("denied_sick_leave", 1, NOT_HR, |c| SICK.refused(c)),
    none("denied_age", 1, NOT_HR, |c| AGE.refused(c)),
    none("denied_pay_gap", 1, NOT_HR, refusals::pay_gap_barred),
    none("denied_team", 1, NOT_HR, refusals::team_barred),
    none("denied_raise", 1, ALL, refusals::raise_barred),
    none("denied_record", 2, ALL, refusals::record_barred),
    none("denied_price", 2, &[TaskDomain::Sales, TaskDomain::Business], refusals::price_barred),
    none("denied_licence", 4, SWE, refusals::licence_barred),
    none("denied_ticket", 4, IT, refusals::ticket_barred),
    none("denied_client", 4, BUSINESS, refusals::client_barred),
    none("denied_vendor", 4, BUSINESS, refusals::vendor_barred),
    none("missing_colleague", 6, ALL, refusals::no_such_colleague),
    none("missing_ticket", 4, IT, refusals::no_such_ticket),
    none("missing_own_ticket", 4, IT, |c| refusals::no_record(c, &TICKET)),
    none("missing_own_repository", 4, SWE, |c| refusals::no_record(c, &REPOSITORY)),
    none("missing_own_client", 4, BUSINESS, |c| refusals::no_record(c, &CLIENT)),
    none("ambiguous_ticket_of", 4, IT, refusals::which_ticket_of),
    none("missing_sale", 4, SALES, refusals::no_such_sale),
    none("missing_product", 4, SALES, refusals::no_such_product),
    none("missing_repository", 4, SWE, refusals::no_such_repository),
    none("missing_vendor", 4, BUSINESS, refusals::no_such_vendor),
    none("missing_conversation", 2, ALL, refusals::no_conversation),
    none("missing_mail", 1, ALL, refusals::no_mail),
    none("ambiguous_colleague", 5, ALL, refusals::which_colleague),
    none("ambiguous_conversation", 1, ALL, refusals::which_conversation),
    none("ambiguous_ticket", 4, IT, |c| refusals::several_records(c, &TICKET)),
    none("ambiguous_repository", 4, SWE, |c| refusals::several_records(c, &REPOSITORY)),
    none("ambiguous_client", 4, BUSINESS, |c| refusals::several_records(c, &CLIENT)),
    none("ambiguous_sale", 4, SALES, refusals::which_sale),
];
