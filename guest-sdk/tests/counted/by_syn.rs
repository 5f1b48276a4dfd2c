//! Branches of a syntax tree. `syn` has a visitor, but with it everything that uses `syn` would be built twice.

use crate::branches as tokenizer;
use syn::{BinOp, Block, Expr, File, ImplItem, Item, Local, Macro, Stmt, TraitItem};

/// The number of branches in a file.
pub(crate) fn branches(file: &File) -> usize {
    file.items.iter().map(item).sum()
}

/// The content of a macro's brackets is no tree: its tokens are counted.
fn tokens(of: &Macro) -> usize {
    tokens_of(&of.tokens.to_string())
}

fn tokens_of(text: &str) -> usize {
    tokenizer::branches(&tokenizer::tokens(text)) - 1
}

fn item(of: &Item) -> usize {
    match of {
        Item::Const(one) => expr(&one.expr),
        Item::Static(one) => expr(&one.expr),
        Item::Enum(one) => {
            let values = one
                .variants
                .iter()
                .filter_map(|one| one.discriminant.as_ref());
            values.map(|(_, value)| expr(value)).sum()
        }
        Item::Fn(one) => block(&one.block),
        Item::Impl(one) => one.items.iter().map(impl_item).sum(),
        Item::Trait(one) => one.items.iter().map(trait_item).sum(),
        Item::Mod(one) => one
            .content
            .iter()
            .flat_map(|(_, items)| items)
            .map(item)
            .sum(),
        Item::Macro(one) => tokens(&one.mac),
        _ => 0,
    }
}

fn impl_item(of: &ImplItem) -> usize {
    match of {
        ImplItem::Const(one) => expr(&one.expr),
        ImplItem::Fn(one) => block(&one.block),
        ImplItem::Macro(one) => tokens(&one.mac),
        _ => 0,
    }
}

fn trait_item(of: &TraitItem) -> usize {
    match of {
        TraitItem::Const(one) => one.default.iter().map(|(_, value)| expr(value)).sum(),
        TraitItem::Fn(one) => one.default.iter().map(block).sum(),
        TraitItem::Macro(one) => tokens(&one.mac),
        _ => 0,
    }
}

fn block(of: &Block) -> usize {
    of.stmts.iter().map(statement).sum()
}

fn statement(of: &Stmt) -> usize {
    match of {
        Stmt::Local(Local { init, .. }) => init
            .iter()
            .map(|init| {
                let other = init.diverge.iter().map(|(_, other)| 1 + expr(other));
                expr(&init.expr) + other.sum::<usize>()
            })
            .sum(),
        Stmt::Item(one) => item(one),
        Stmt::Expr(one, _) => expr(one),
        Stmt::Macro(one) => tokens(&one.mac),
    }
}

fn all<'a>(of: impl IntoIterator<Item = &'a Expr>) -> usize {
    of.into_iter().map(expr).sum()
}

fn boxed(of: Option<&Expr>) -> usize {
    of.map_or(0, expr)
}

fn expr(of: &Expr) -> usize {
    match of {
        Expr::Array(one) => all(&one.elems),
        Expr::Assign(one) => expr(&one.left) + expr(&one.right),
        Expr::Async(one) => block(&one.block),
        Expr::Await(one) => expr(&one.base),
        Expr::Binary(one) => {
            let branches = matches!(one.op, BinOp::And(_) | BinOp::Or(_));
            usize::from(branches) + expr(&one.left) + expr(&one.right)
        }
        Expr::Block(one) => block(&one.block),
        Expr::Break(one) => boxed(one.expr.as_deref()),
        Expr::Call(one) => expr(&one.func) + all(&one.args),
        Expr::Cast(one) => expr(&one.expr),
        Expr::Closure(one) => expr(&one.body),
        Expr::Const(one) => block(&one.block),
        Expr::Field(one) => expr(&one.base),
        Expr::ForLoop(one) => 1 + expr(&one.expr) + block(&one.body),
        Expr::Group(one) => expr(&one.expr),
        Expr::If(one) => {
            let other = one.else_branch.as_ref().map(|(_, other)| &**other);
            1 + expr(&one.cond) + block(&one.then_branch) + boxed(other)
        }
        Expr::Index(one) => expr(&one.expr) + expr(&one.index),
        Expr::Let(one) => expr(&one.expr),
        Expr::Loop(one) => block(&one.body),
        Expr::Macro(one) => tokens(&one.mac),
        Expr::Match(one) => {
            let arms = one.arms.iter().map(|arm| {
                let guard = arm.guard.as_ref().map_or(0, |(_, guard)| 1 + expr(guard));
                guard + expr(&arm.body)
            });
            expr(&one.expr) + one.arms.len().saturating_sub(1) + arms.sum::<usize>()
        }
        Expr::MethodCall(one) => expr(&one.receiver) + all(&one.args),
        Expr::Paren(one) => expr(&one.expr),
        Expr::Range(one) => boxed(one.start.as_deref()) + boxed(one.end.as_deref()),
        Expr::RawAddr(one) => expr(&one.expr),
        Expr::Reference(one) => expr(&one.expr),
        Expr::Repeat(one) => expr(&one.expr) + expr(&one.len),
        Expr::Return(one) => boxed(one.expr.as_deref()),
        Expr::Struct(one) => {
            let fields = one.fields.iter().map(|field| expr(&field.expr));
            fields.sum::<usize>() + boxed(one.rest.as_deref())
        }
        Expr::Try(one) => 1 + expr(&one.expr),
        Expr::TryBlock(one) => block(&one.block),
        Expr::Tuple(one) => all(&one.elems),
        Expr::Unary(one) => expr(&one.expr),
        Expr::Unsafe(one) => block(&one.block),
        Expr::While(one) => 1 + expr(&one.cond) + block(&one.body),
        Expr::Yield(one) => boxed(one.expr.as_deref()),
        _ => 0,
    }
}
