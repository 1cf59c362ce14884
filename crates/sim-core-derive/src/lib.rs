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
/// For a list, `#[schemars(inner(range(..)))]` is the range of each of its numbers. A field of an `Option` is checked
/// where it has a value. In an enum, the fields of the variant at hand are checked.
#[proc_macro_derive(Ranges, attributes(schemars))]
pub fn ranges(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    syn::parse(input)
        .and_then(|input| expand(&input))
        .unwrap_or_else(|fault| fault.to_compile_error())
        .into()
}

/// A field with a range.
struct Ranged {
    name: Ident,
    low: Expr,
    high: Expr,
}

fn expand(input: &DeriveInput) -> syn::Result<TokenStream> {
    let mut told = Vec::new();
    let body = match &input.data {
        Data::Struct(data) => {
            let fields = ranged(&data.fields)?;
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
                let fields = ranged(&variant.fields)?;
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

/// The range of a field in words.
fn line(field: &Ranged) -> String {
    let Ranged { name, low, high } = field;
    format!("`{name}` {} to {}", bound(low), bound(high))
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

fn check(field: &Ranged, value: &TokenStream) -> TokenStream {
    let Ranged { name, low, high } = field;
    let place = name.to_string();
    let place = place.trim_start_matches("r#");
    quote!(::sim_core::InRange::check_range(#value, #place, #low, #high)?;)
}

fn ranged(fields: &Fields) -> syn::Result<Vec<Ranged>> {
    let mut found = Vec::new();
    for field in fields {
        let Some((low, high)) = range_of(&field.attrs)? else {
            continue;
        };
        let Some(name) = &field.ident else {
            return Err(syn::Error::new(
                field.span(),
                "a range needs a field with a name",
            ));
        };
        found.push(Ranged {
            name: name.clone(),
            low,
            high,
        });
    }
    Ok(found)
}

/// The range in the attributes of a field.
fn range_of(attributes: &[Attribute]) -> syn::Result<Option<(Expr, Expr)>> {
    let mut found = None;
    for attribute in attributes {
        if attribute.path().is_ident("schemars") {
            attribute.parse_nested_meta(|meta| read(&meta, &mut found))?;
        }
    }
    Ok(found)
}

fn read(
    meta: &syn::meta::ParseNestedMeta<'_>,
    found: &mut Option<(Expr, Expr)>,
) -> syn::Result<()> {
    if meta.path.is_ident("inner") {
        return meta.parse_nested_meta(|meta| read(&meta, found));
    }
    if !meta.path.is_ident("range") {
        // Another attribute of schemars, which is not ours to read.
        if meta.input.peek(Token![=]) {
            meta.value()?.parse::<Expr>()?;
        } else if meta.input.peek(token::Paren) {
            meta.input.parse::<proc_macro2::Group>()?;
        }
        return Ok(());
    }
    let (mut low, mut high) = (None, None);
    meta.parse_nested_meta(|bound| {
        let value = bound.value()?.parse()?;
        match bound.path.get_ident() {
            Some(name) if name == "min" => low = Some(value),
            Some(name) if name == "max" => high = Some(value),
            _ => return Err(bound.error("a range has `min` and `max`")),
        }
        Ok(())
    })?;
    *found = Some(
        low.zip(high)
            .ok_or_else(|| meta.error("a range has both `min` and `max`"))?,
    );
    Ok(())
}
