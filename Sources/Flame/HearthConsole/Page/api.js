// The console's server: questions, orders and streams, each with errors that a person can read.

/** Why the server did not do what it was asked. */
export class APIError extends Error {
    constructor(code, message, status = 0) {
        super(message);
        this.code = code;
        this.status = status;
        this.title = titles[code] ?? "This did not work";
    }
}

const titles = {
    UNREACHABLE: "The console does not answer",
    UNAUTHENTICATED: "This session has ended",
    PERMISSION_DENIED: "You may not see this",
    NOT_FOUND: "There is no such thing",
    UNAVAILABLE: "Nobody answers there",
    DEADLINE_EXCEEDED: "This took too long",
    RESOURCE_EXHAUSTED: "This is too much at once",
    FAILED_PRECONDITION: "This cannot be done now",
    INVALID_ARGUMENT: "This has no meaning",
};

/** What listeners are told when the server was lost or is back. */
export const connection = new EventTarget();
let isLost = false;

function note(error) {
    const isNowLost = error?.code === "UNREACHABLE" || error?.code === "UNAUTHENTICATED";
    if (isNowLost === isLost && !isNowLost) return;
    isLost = isNowLost;
    connection.dispatchEvent(new CustomEvent(isNowLost ? "lost" : "found", { detail: error }));
}

/** Asks: `get("documents", { db, collection })`. What is undefined or null is left out. */
export function get(path, parameters = {}, signal) {
    return answer(address(path, parameters), { signal });
}

/** Orders, or asks with a body. */
export function post(path, body, signal) {
    return answer(address(path), {
        method: "POST", headers: { "Content-Type": "application/json" }, body: writeJSON(body), signal,
    });
}

function address(path, parameters = {}) {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) {
        if (value !== undefined && value !== null && value !== "") query.set(name, value);
    }
    const text = query.toString();
    return `/api/${path}${text && `?${text}`}`;
}

async function answer(url, options) {
    let response, text;
    try {
        response = await fetch(url, options);
        text = await response.text();
    } catch (error) {
        if (error.name === "AbortError") throw error;
        const failure = new APIError("UNREACHABLE",
            "The console's program has ended, or was cut off. Start it again, and open its new page.");
        note(failure);
        throw failure;
    }
    if (response.ok) {
        note(null);
        return readJSON(text);
    }
    const failure = failureOf(text, response.status);
    note(failure);
    throw failure;
}

function failureOf(text, status) {
    try {
        const { code, message } = JSON.parse(text).error;
        return new APIError(code, message, status);
    } catch {
        return new APIError(status === 401 ? "UNAUTHENTICATED" : "UNKNOWN", `The console answered with status ${status} and no reason.`,
            status);
    }
}

/** Reads JSON; a whole number that JavaScript's numbers cannot hold becomes a BigInt. */
export function readJSON(text) {
    return JSON.parse(text, (_, value, context) => {
        if (typeof value !== "number" || Number.isSafeInteger(value) || !/^-?\d+$/.test(context?.source ?? "")) return value;
        return BigInt(context.source);
    });
}

/** Writes JSON; a BigInt becomes a whole number with all its digits. */
export function writeJSON(value, indent = "", step = "") {
    if (typeof value === "bigint") return value.toString();
    if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
    const inner = indent + step;
    const line = step && "\n";
    const parts = Array.isArray(value)
        ? value.map((element) => inner + writeJSON(element, inner, step))
        : Object.entries(value).filter(([, element]) => element !== undefined).map(([name, element]) =>
            `${inner}${JSON.stringify(name)}:${step && " "}${writeJSON(element, inner, step)}`);
    const [open, close] = Array.isArray(value) ? "[]" : "{}";
    return parts.length ? `${open}${line}${parts.join(`,${line}`)}${line}${step && indent}${close}` : open + close;
}

const RETRY_MILLISECONDS_MIN = 500;
const RETRY_MILLISECONDS_MAX = 5_000;

/** A stream of events that lives as long as somebody looks: it pauses while the page is hidden, and connects again
 * whenever the line is cut.
 *
 *     paused <--hidden/visible--> connecting --open--> open --cut--> waiting --elapsed--> connecting
 */
export class Stream {
    /** `handlers` has a function for each kind of event; `failed` takes the error for which the server ended it. */
    constructor(path, parameters, handlers) {
        this.url = address(`stream/${path}`, parameters);
        this.handlers = handlers;
        this.delay = RETRY_MILLISECONDS_MIN;
        this.onvisibility = () => this.turn();
        document.addEventListener("visibilitychange", this.onvisibility);
        this.turn();
    }

    /** Ends the stream for good. */
    close() {
        this.isClosed = true;
        document.removeEventListener("visibilitychange", this.onvisibility);
        this.stop();
    }

    turn() {
        if (document.hidden) this.stop();
        else if (!this.source && !this.isClosed) this.connect();
    }

    stop() {
        clearTimeout(this.timer);
        this.source?.close();
        this.source = null;
    }

    connect() {
        clearTimeout(this.timer);
        const source = new EventSource(this.url);
        this.source = source;
        for (const [kind, handler] of Object.entries(this.handlers)) {
            if (kind === "failed") continue;
            source.addEventListener(kind, (event) => {
                this.delay = RETRY_MILLISECONDS_MIN;
                handler(readJSON(event.data));
            });
        }
        this.wasOpen = false;
        source.addEventListener("open", () => {
            this.wasOpen = true;
            note(null);
        });
        source.addEventListener("failed", (event) => this.fail(event));
        source.addEventListener("error", () => this.cut());
    }

    fail(event) {
        const { code, message } = JSON.parse(event.data).error;
        this.stop();
        const error = new APIError(code, message);
        this.handlers.failed?.(error);
        if (code === "UNAVAILABLE" || code === "RESOURCE_EXHAUSTED") this.again();
        else this.isClosed = true;
    }

    // An event source tells no reason, so a question asks for it; what that finds out is told to all.
    cut() {
        this.stop();
        if (this.isClosed) return;
        if (this.wasOpen) get("session").catch(() => undefined);
        else this.ask();
        this.again();
    }

    async ask() {
        const ending = new AbortController();
        try {
            const response = await fetch(this.url, { signal: ending.signal });
            if (!response.ok) this.handlers.failed?.(failureOf(await response.text(), response.status));
        } catch {
            get("session").catch(() => undefined);
        } finally {
            ending.abort();
        }
    }

    again() {
        this.timer = setTimeout(() => this.turn(), this.delay);
        this.delay = Math.min(this.delay * 2, RETRY_MILLISECONDS_MAX);
    }
}
