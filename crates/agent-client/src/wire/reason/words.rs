//! Words and codes of error answers, in lower case.

/// Words for a chat, or a chat and its reply, that do not fit the model. In the order of providers: OpenAI and
/// compatible, Anthropic, Gemini, xAI, Mistral, Groq, DashScope, Moonshot, Z.ai, MiniMax, TGI and Together,
/// SGLang, llama.cpp, Ollama, LM Studio, Bedrock, Cohere, vLLM, Azure, Perplexity, Ark, Baidu, Copilot, SambaNova.
pub(super) const OVERFLOW: [&str; 69] = [
    "context_length",
    "context length",
    "context window",
    "maximum context",
    "max context",
    "string_above_max_length",
    "reduce the length of the messages",
    "prompt is too long",
    "prompt too long",
    "prompt_too_long",
    "context limit",
    "request_too_large",
    "exceeds the maximum number of tokens",
    "input token count",
    "maximum prompt length",
    "prompt token count",
    "too large for model",
    "range of input length",
    "model token limit",
    "exceeds max length",
    "token limit exceeded",
    "exceeds token limit",
    "exceed token limit",
    "must have less than",
    "`inputs` tokens",
    "max_new_tokens",
    "maximum allowed length",
    "maximum input length",
    "max input length",
    "max_input_length",
    "max_seq_len",
    "maximum sequence length",
    "exceed_context_size",
    "context size",
    "available context",
    "exceeds the context",
    "when context the overflows",
    "context overflow",
    "input is too long",
    "input too long",
    "too many tokens",
    "too many input tokens",
    "maximum model length",
    // vLLM takes what is left of the context for the limit on the reply.
    "must be at least 1, got -",
    "input tokens exceed",
    "context_too_large",
    "messages is too long",
    "exceed max message tokens",
    "input length",
    "tokens too long",
    "tokens_too_long",
    "more than max tokens allowed",
    "supported sequence length",
    "inputs too large",
    "length of input text exceeds",
    "exceeds the length limit",
    "tokens_limit_reached",
    "prompt 超长",
    // MLX, Moonshot, Hugging Face, gateways
    "max_model_len",
    "max model len",
    "message size",
    "prompt length",
    "prompt tokens exceed",
    "conversation is too long",
    "conversation too long",
    "number of input tokens",
    // OpenVINO; in Chinese.
    "model max length",
    "长度超",
    "上下文长度",
];

/// Words of [`OVERFLOW`] that a server also writes where it failed for another reason: `failed to allocate buffer for
/// kv cache at context size 8192`.
pub(super) const SIZES: [&str; 12] = [
    "context length",
    "context window",
    "maximum context",
    "max context",
    "context limit",
    "context size",
    "available context",
    "max_seq_len",
    "maximum sequence length",
    "max_new_tokens",
    "maximum model length",
    "input length",
];

/// Words that say that a size is exceeded.
pub(super) const EXCEEDED: [&str; 8] = [
    "exceed",
    "too long",
    "too large",
    "too many",
    "larger than",
    "longer than",
    "greater than",
    "reduce the length",
];

/// Words of throttling, which stand before those of an overflow: Bedrock says `Too many tokens, please wait before
/// trying again`.
pub(super) const THROTTLED: [&str; 11] = [
    "throttl",
    "wait before trying again",
    "too many requests",
    "slow down",
    "ratelimiterror",
    "rate_limit",
    "rate limit",
    "try again in",
    // SiliconFlow, with status 403.
    "rpm limit",
    "tpm limit",
    "负载已饱和",
];

/// Words with which a server says under any status that it failed or is not there for a while.
pub(super) const BROKEN: [&str; 17] = [
    "model has crashed",
    "model crashed",
    "has terminated",
    "model unloaded",
    "model is unloaded",
    "model was unloaded",
    "service is unavailable",
    "service_unavailable",
    "service unavailable",
    "temporarily unavailable",
    "out of memory",
    "capacity_exceeded",
    "no healthy upstream",
    "no healthy deployment",
    "no deployments available",
    "no available server",
    "upstream connect error",
];

/// Words of a gateway that has no server behind it for a while, under status 404: Kong, Railway, the ingress of
/// Kubernetes.
pub(super) const NO_ROUTE: [&str; 3] = [
    "no route matched",
    "application not found",
    "default backend",
];

/// Words and codes of a model that a server does not have, under status 400: DeepSeek, Mistral, OpenRouter, Groq, Z.ai,
/// SiliconFlow, Hugging Face, Copilot, GitHub, LiteLLM, Together, xAI, Gemini, Bedrock, LM Studio.
pub(super) const NO_MODEL: [&str; 20] = [
    "model_not_found",
    "model_decommissioned",
    "model_not_supported",
    "model_not_available",
    "invalid_model",
    "unknown_model",
    "unavailable_model",
    "model not exist",
    "model does not exist",
    "model not found",
    "not a valid model id",
    "invalid model name",
    "unknown model",
    "unexpected model name format",
    "model identifier is invalid",
    "requested model is not supported",
    "has been decommissioned",
    "unable to access non-serverless model",
    "no models loaded",
    "模型不存在",
];

/// Words of a refused account under another status than 401: Gemini and xAI refuse a key with status 400, and Gemini
/// whole countries; Groq and Anthropic organizations.
pub(super) const DENIED: [&str; 8] = [
    "api key not valid",
    "api_key_invalid",
    "api key expired",
    "incorrect api key",
    "invalid api key",
    "location is not supported",
    "organization has been restricted",
    "organization has been disabled",
];

/// Words of a server that answers only with a stream of events.
pub(super) const STREAM_ONLY: [&str; 7] = [
    "only support stream",
    "only supports stream",
    "stream mode only",
    "streaming is required",
    "requires stream",
    "enable the stream parameter",
    // DashScope: models that think only think in streams.
    "non-streaming call",
];

/// Words of a limit of nothing, which no pause changes: Gemini names one for models that an account may not use.
pub(super) const NOTHING_ALLOWED: [&str; 2] = ["limit: 0,", "have a free quota tier"];

/// Words for a limit that does not pass within minutes, or that a request can never keep.
pub(super) const LASTING: [&str; 25] = [
    "per day",
    "per-day",
    "perday",
    "per month",
    "(tpd)",
    "(rpd)",
    "daily limit",
    "daily quota",
    "monthly limit",
    "api usage limit",
    "usage limit reached",
    "budget_exceeded",
    "budget has been exceeded",
    "exceeded budget",
    "request too large for",
    // Anthropic, Codex, Ollama, Cohere, Cloudflare, GitHub.
    "daily rate limit",
    "usage_limit_reached",
    "weekly usage limit",
    "weekly limit",
    "/ month",
    "daily free",
    "byday",
    // Ark, MiniMax, Mistral.
    "set inference limit",
    "usage limit exceeded",
    "monthly token",
];

/// Words for a filter or a moderation, in codes and in prose.
pub(super) const FILTERED: [&str; 30] = [
    "content_filter",
    "content filter",
    "content_policy",
    "content policy",
    "content management policy",
    "responsibleaipolicyviolation",
    "moderation",
    "flagged",
    "flagged_input",
    "usage policy",
    "usage policies",
    "usage guidelines",
    "safety_check",
    "safety system",
    "safety filter",
    "prohibited_content",
    "data_inspection_failed",
    "datainspectionfailed",
    "inappropriate content",
    "content exists risk",
    "content_exists_risk",
    "sensitive content",
    "sensitive information",
    "new_sensitive",
    "guardrail",
    "unsafe content",
    "blocked by content",
    "敏感内容",
    // Moonshot; Cloudflare.
    "considered high risk",
    "blocked due to security",
];

/// Codes that say that nothing is left to pay with.
pub(super) const QUOTA_CODES: [&str; 10] = [
    "insufficient_quota",
    "billing_hard_limit_reached",
    "billing_not_active",
    "billing_error",
    "insufficient_balance",
    "insufficient_credits",
    "payment_required",
    "arrearage",
    "quota_exhausted",
    "exceeded_current_quota_error",
];

/// Prose that says so.
pub(super) const QUOTA: [&str; 13] = [
    "insufficient_quota",
    "billing",
    "credit balance",
    "exceeded your current quota",
    "payment required",
    "insufficient balance",
    "insufficient credits",
    "out of credits",
    "more credits",
    "any credits",
    "available credits",
    "spending limit",
    "余额不足",
];

/// Signs of a limit on a rate, which passes by itself.
pub(super) const RATE: [&str; 12] = [
    "rate_limit",
    "rate limit",
    "ratelimit",
    "resource_exhausted",
    "per minute",
    "perminute",
    "per second",
    "persecond",
    "requests per",
    "tokens per",
    "retry in",
    "try again in",
];
