//! The derive macro of [`sim_core::Ranges`](https://docs.rs/sim-core): the range of a setting stands once, on its field.
//!
//! `#[schemars(range(min = 1, max = 520))]` already gives the range to the schema of a type, and so to `describe`. The
//! macro reads the same attribute, so the check and the page of the type cannot say another one.

use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned as _;
use syn::{Attribute, Data, DeriveInput, Expr, Fields, Ident, Lit, Token, token};

/// Writes `check_ranges`, which checks each field with `#[schemars(range(min = .., max = ..))]`.
///
/// For a list, `#[schemars(length(min = .., max = ..))]` is how many entries it may have, and
/// `#[schemars(inner(range(..)))]` the range of each of its numbers. A field of an `Option` is checked
/// where it has a value. In an enum, the fields of the variant at hand are checked.
#[proc_macro_derive(Ranges, attributes(schemars))]
pub fn ranges(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    syn::parse(input)
        .and_then(|input| expand(&input))
        .unwrap_or_else(|fault| fault.to_compile_error())
        .into()
}

/// A field with limits.
struct Limited {
    name: Ident,
    limits: Limits,
}

/// The limits in the attributes of a field, each the smallest and the largest value.
#[derive(Default)]
struct Limits {
    range: Option<(Expr, Expr)>,
    length: Option<(Expr, Expr)>,
}

fn expand(input: &DeriveInput) -> syn::Result<TokenStream> {
    let mut told = Vec::new();
    let body = match &input.data {
        Data::Struct(data) => {
            let fields = limited(&data.fields)?;
            told.extend(fields.iter().map(line));
            let checks = fields.iter().map(|field| {
                let name = &field.name;
                check(field, &quote!(&self.#name))
            });
            quote!(#(#checks)*)
        }
        Data::Enum(data) => {
            let mut arms = Vec::new();
            for variant in &data.variants {
                let fields = limited(&variant.fields)?;
                if fields.is_empty() {
                    continue;
                }
                told.extend(
                    fields
                        .iter()
                        .map(|field| format!("{} of `{}`", line(field), variant.ident)),
                );
                let names = fields.iter().map(|field| &field.name);
                let checks = fields.iter().map(|field| {
                    let name = &field.name;
                    check(field, &quote!(#name))
                });
                let variant = &variant.ident;
                arms.push(quote!(Self::#variant { #(#names,)* .. } => { #(#checks)* }));
            }
            // Variants without limits have no arm. Where each variant has some, nothing is left for
            // the last one.
            quote!(match self { #(#arms)* #[allow(unreachable_patterns)] _ => {} })
        }
        Data::Union(data) => {
            return Err(syn::Error::new(
                data.union_token.span(),
                "a union has no settings",
            ));
        }
    };
    let (name, (implemented, arguments, bounds)) = (&input.ident, input.generics.split_for_impl());
    let page = format!(
        "Checks the ranges of the fields: {}.\n\n# Errors\nNames the first field at fault and its range.",
        told.join(", ")
    );
    Ok(quote! {
        impl #implemented #name #arguments #bounds {
            #[doc = #page]
            pub fn check_ranges(&self) -> ::core::result::Result<(), ::sim_core::ConfigError> {
                #body
                ::core::result::Result::Ok(())
            }
        }
    })
}

/// The limits of a field in words.
fn line(field: &Limited) -> String {
    let words = |(low, high): &(Expr, Expr)| format!("{} to {}", bound(low), bound(high));
    let Limits { range, length } = &field.limits;
    let entries = length
        .as_ref()
        .map(|length| format!("{} entries", words(length)));
    let told: Vec<String> = entries
        .into_iter()
        .chain(range.as_ref().map(words))
        .collect();
    format!("`{}` {}", field.name, told.join(" of "))
}

/// A bound as `sim_core::error::range_text` shows its value (`0.0` as `0`, `1e6` as `1000000`), or the name of a
/// constant.
fn bound(bound: &Expr) -> String {
    match bound {
        Expr::Unary(negative) => format!("-{}", self::bound(&negative.expr)),
        Expr::Lit(literal) => match &literal.lit {
            Lit::Float(number) => number
                .base10_parse::<f64>()
                .map_or_else(|_| number.to_string(), |x| x.to_string()),
            Lit::Int(number) => number.base10_digits().to_owned(),
            _ => quote!(#bound).to_string(),
        },
        _ => quote!(#bound).to_string(),
    }
}

fn check(field: &Limited, value: &TokenStream) -> TokenStream {
    let place = field.name.to_string();
    // As a file writes the field: `r#type` has the key `type`.
    let place = place.trim_start_matches("r#");
    let length = field.limits.length.iter().map(|(low, high)| {
        quote!(::sim_core::ConfigError::check_length(#place, (#value).len(), #low, #high)?;)
    });
    let range =
        field.limits.range.iter().map(
            |(low, high)| quote!(::sim_core::InRange::check_range(#value, #place, #low, #high)?;),
        );
    quote!(#(#length)* #(#range)*)
}

fn limited(fields: &Fields) -> syn::Result<Vec<Limited>> {
    let mut found = Vec::new();
    for field in fields {
        let limits = limits_of(&field.attrs)?;
        if limits.range.is_none() && limits.length.is_none() {
            continue;
        }
        let Some(name) = &field.ident else {
            return Err(syn::Error::new(
                field.span(),
                "a limit needs a field with a name",
            ));
        };
        found.push(Limited {
            name: name.clone(),
            limits,
        });
    }
    Ok(found)
}

fn limits_of(attributes: &[Attribute]) -> syn::Result<Limits> {
    let mut found = Limits::default();
    for attribute in attributes {
        if attribute.path().is_ident("schemars") {
            attribute.parse_nested_meta(|meta| read(&meta, &mut found))?;
        }
    }
    Ok(found)
}

fn read(meta: &syn::meta::ParseNestedMeta<'_>, found: &mut Limits) -> syn::Result<()> {
    if meta.path.is_ident("inner") {
        // A list has no range of its own, so that of its numbers takes the same place.
        return meta.parse_nested_meta(|meta| read(&meta, found));
    }
    let limit = if meta.path.is_ident("range") {
        &mut found.range
    } else if meta.path.is_ident("length") {
        &mut found.length
    } else {
        // Another attribute of schemars, which is not ours to read.
        if meta.input.peek(Token![=]) {
            meta.value()?.parse::<Expr>()?;
        } else if meta.input.peek(token::Paren) {
            meta.input.parse::<proc_macro2::Group>()?;
        }
        return Ok(());
    };
    let (mut low, mut high) = (None, None);
    meta.parse_nested_meta(|bound| {
        let value = bound.value()?.parse()?;
        match bound.path.get_ident() {
            Some(name) if name == "min" => low = Some(value),
            Some(name) if name == "max" => high = Some(value),
            _ => return Err(bound.error("a limit has `min` and `max`")),
        }
        Ok(())
    })?;
    // One end alone is refused, because messages and pages name both.
    *limit = Some(
        low.zip(high)
            .ok_or_else(|| meta.error("a limit has both `min` and `max`"))?,
    );
    Ok(())
}
