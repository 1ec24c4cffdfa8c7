//! JSON to JavaScript and back, without a silent change: what can't be held on the other side is refused.

use rquickjs::object::{Filter, Property};
use rquickjs::{Array, BigInt, Ctx, Error, Function, Object, String as JsString, Type, Value};

use super::Fuse;
use crate::model::Json;

/// As deep as any JSON reader of ours goes.
const DEEPEST: usize = 100;
const MOST_NODES: usize = 2_000_000;
const MOST_BYTES: usize = 64 << 20;
const MOST_DIGITS: usize = 10_000;
/// 2^53 − 1.
const SAFE: i64 = 9_007_199_254_740_991;

pub(super) enum Refused {
    Engine(Error),
    Value(String),
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self::Engine(error)
    }
}

fn refuse<T>(what: impl Into<String>) -> Result<T, Refused> {
    Err(Refused::Value(what.into()))
}

/// Sets an own property, whatever its name: plain assignment to `__proto__` would do something else.
pub(super) fn define<'js>(object: &Object<'js>, name: &str, value: Value<'js>) -> Result<(), Error> {
    if name == "__proto__" {
        return object.prop(name, Property::from(value).writable().enumerable().configurable());
    }
    object.set(name, value)
}

pub(super) fn to_js<'js>(
    ctx: &Ctx<'js>,
    integer: &Function<'js>,
    value: &Json,
) -> Result<Value<'js>, Refused> {
    match value {
        Json::Null => Ok(Value::new_null(ctx.clone())),
        Json::Bool(b) => Ok(Value::new_bool(ctx.clone(), *b)),
        Json::Number(n) => number_to_js(ctx, integer, n.as_str()),
        Json::String(s) => Ok(JsString::from_str(ctx.clone(), s)?.into_value()),
        Json::Array(items) => {
            let array = Array::new(ctx.clone())?;
            for (i, item) in items.iter().enumerate() {
                array.set(i, to_js(ctx, integer, item)?)?;
            }
            Ok(array.into_value())
        }
        Json::Object(map) => {
            let object = Object::new(ctx.clone())?;
            for (name, item) in map {
                define(&object, name, to_js(ctx, integer, item)?)?;
            }
            Ok(object.into_value())
        }
    }
}

fn number_to_js<'js>(ctx: &Ctx<'js>, integer: &Function<'js>, digits: &str) -> Result<Value<'js>, Refused> {
    if digits.contains(['.', 'e', 'E']) {
        return match digits.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Value::new_number(ctx.clone(), number)),
            _ => refuse("it holds a number beyond ±1.8e308"),
        };
    }
    match digits.parse::<i64>() {
        #[expect(
            clippy::cast_precision_loss,
            reason = "up to 2^53 every integer has its own double"
        )]
        Ok(small) if (-SAFE..=SAFE).contains(&small) => Ok(Value::new_number(ctx.clone(), small as f64)),
        Ok(big) => Ok(BigInt::from_i64(ctx.clone(), big)?.into_value()),
        Err(_) if digits.len() > MOST_DIGITS => {
            refuse(format!("it holds an integer of more than {MOST_DIGITS} digits"))
        }
        Err(_) => Ok(integer.call((digits,))?),
    }
}

/// Reads one result, within bounds.
pub(super) struct Reader<'js, 'a> {
    /// The interpreter's own `String`, taken before the source could change it.
    text: Function<'js>,
    /// The interpreter's own `Object.prototype.toString`.
    kind_of: &'a dyn Fn(&Value<'js>) -> Result<String, Error>,
    fuse: &'a Fuse,
    /// Where the reader is, outermost first.
    path: Vec<String>,
    /// The objects around it.
    open: Vec<Value<'js>>,
    nodes: usize,
    bytes: usize,
}

impl<'js, 'a> Reader<'js, 'a> {
    pub(super) fn new(
        text: Function<'js>,
        kind_of: &'a dyn Fn(&Value<'js>) -> Result<String, Error>,
        fuse: &'a Fuse,
    ) -> Self {
        Self {
            text,
            kind_of,
            fuse,
            path: Vec::new(),
            open: Vec::new(),
            nodes: 0,
            bytes: 0,
        }
    }

    /// JSON Pointer of the place that was refused.
    pub(super) fn pointer(&self) -> String {
        self.path
            .iter()
            .map(|p| format!("/{}", p.replace('~', "~0").replace('/', "~1")))
            .collect()
    }

    pub(super) fn read(&mut self, value: &Value<'js>) -> Result<Json, Refused> {
        self.count()?;
        match value.type_of() {
            Type::Null => Ok(Json::Null),
            Type::Bool => Ok(Json::Bool(value.as_bool().unwrap_or_default())),
            Type::Int => Ok(Json::from(value.as_int().unwrap_or_default())),
            Type::Float => number(value.as_float().unwrap_or(f64::NAN)),
            Type::BigInt => self.integer(value),
            Type::String => self.string(value),
            Type::Array => self.inside(value, Self::array),
            Type::Undefined => refuse("undefined; JSON has no such value, use null or leave the field out"),
            Type::Symbol => refuse("a symbol; JSON has no such value"),
            Type::Function | Type::Constructor => refuse("a function; JSON has no such value"),
            Type::Promise => refuse("a promise; code can't wait here, so write it without `async`"),
            Type::Object => self.inside(value, Self::object),
            Type::Exception => refuse("an Error; throw it, or return its message"),
            Type::Proxy | Type::Uninitialized | Type::Module | Type::Unknown => refuse("no JSON value"),
        }
    }

    fn count(&mut self) -> Result<(), Refused> {
        self.nodes += 1;
        if self.nodes > MOST_NODES {
            return refuse(format!("too large: it holds more than {MOST_NODES} values"));
        }
        if self.nodes.is_multiple_of(1024) && self.fuse.must_stop() {
            return Err(Refused::Engine(Error::Exception));
        }
        Ok(())
    }

    fn integer(&self, value: &Value<'js>) -> Result<Json, Refused> {
        let digits: String = self.text.call((value.clone(),))?;
        if digits.len() > MOST_DIGITS {
            return refuse(format!("an integer of more than {MOST_DIGITS} digits"));
        }
        digits.parse().map(Json::Number).or_else(|_| refuse("no integer"))
    }

    fn string(&mut self, value: &Value<'js>) -> Result<Json, Refused> {
        let Some(text) = value.as_string() else {
            return refuse("no text");
        };
        let text = self.plain(text.to_string())?;
        Ok(Json::String(text))
    }

    fn plain(&mut self, text: Result<String, Error>) -> Result<String, Refused> {
        let text = match text {
            Err(Error::Utf8(_)) => return refuse("text with half a character in it (a lone surrogate)"),
            other => other?,
        };
        self.bytes += text.len();
        if self.bytes > MOST_BYTES {
            return refuse(format!(
                "too large: its texts have more than {} MiB",
                MOST_BYTES >> 20
            ));
        }
        Ok(text)
    }

    fn inside(
        &mut self,
        value: &Value<'js>,
        read: fn(&mut Self, &Value<'js>) -> Result<Json, Refused>,
    ) -> Result<Json, Refused> {
        if self.open.contains(value) {
            return refuse("a value that holds itself");
        }
        if self.open.len() >= DEEPEST {
            return refuse(format!("nested more than {DEEPEST} levels deep"));
        }
        self.open.push(value.clone());
        let done = read(self, value)?;
        self.open.pop();
        Ok(done)
    }

    fn array(&mut self, value: &Value<'js>) -> Result<Json, Refused> {
        let Some(array) = value.as_object() else {
            return refuse("no array");
        };
        let length: f64 = array.get("length")?;
        let mut items = Vec::new();
        for i in (0_u32..).take_while(|i| f64::from(*i) < length) {
            self.path.push(i.to_string());
            items.push(self.read(&array.get(i)?)?);
            self.path.pop();
        }
        Ok(Json::Array(items))
    }

    fn object(&mut self, value: &Value<'js>) -> Result<Json, Refused> {
        let kind = (self.kind_of)(value)?;
        if kind != "[object Object]" {
            let class = kind.trim_start_matches("[object ").trim_end_matches(']');
            return refuse(format!("a {class}; return plain objects and arrays"));
        }
        let Some(object) = value.as_object() else {
            return refuse("no object");
        };
        let mut map = serde_json::Map::new();
        for name in object.own_keys::<JsString<'js>>(Filter::new().string().enum_only()) {
            let name = name?;
            let text = self.plain(name.to_string())?;
            self.path.push(text.clone());
            let item: Value<'js> = object.get(name)?;
            map.insert(text, self.read(&item)?);
            self.path.pop();
        }
        Ok(Json::Object(map))
    }
}

/// Whole numbers as JavaScript itself writes them, others in the shortest form that reads back as the same double.
fn number(number: f64) -> Result<Json, Refused> {
    if number.is_nan() {
        return refuse("NaN; JSON has no such number");
    }
    if number.is_infinite() {
        return refuse("infinite; JSON has no such number");
    }
    if number == 0.0 {
        return Ok(Json::from(0));
    }
    if number.fract() == 0.0 && number.abs() < 1e21 {
        return number
            .to_string()
            .parse()
            .map(Json::Number)
            .or_else(|_| refuse("no number"));
    }
    serde_json::Number::from_f64(number).map_or_else(|| refuse("no number"), |n| Ok(Json::Number(n)))
}
