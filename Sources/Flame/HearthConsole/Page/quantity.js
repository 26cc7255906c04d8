// Numbers, times and people as text: quiet, short, and the same everywhere.

const integer = new Intl.NumberFormat("en");
const decimal = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

/** A count, such as `12,345`; `?` for null, which stands for a count that nobody knows. */
export function count(number) {
    return number === null ? "?" : integer.format(number);
}

/** A count and its noun: `1 batch`, `2 batches`. */
export function counted(number, one, many = `${one}s`) {
    return `${count(number)} ${number === 1 ? one : many}`;
}

/** Bytes, such as `1.4 MB`; `?` for null, which stands for a size that nobody knows. */
export function bytes(number) {
    if (number === null) return "?";
    const units = ["B", "kB", "MB", "GB", "TB"];
    let power = 0;
    while (number >= 1000 && power < units.length - 1) {
        number /= 1000;
        power += 1;
    }
    return `${power ? decimal.format(number) : number} ${units[power]}`;
}

/** Seconds in the unit that suits them: `420 µs`, `12 ms`, `3.1 s`, `5 min`, `2 h`, `3 d`. */
export function duration(seconds) {
    if (seconds === 0) return "0 ms";
    if (seconds < 0.001) return `${Math.round(seconds * 1e6)} µs`;
    if (seconds < 0.1) return `${decimal.format(seconds * 1e3)} ms`;
    if (seconds < 1) return `${Math.round(seconds * 1e3)} ms`;
    if (seconds < 10) return `${decimal.format(seconds)} s`;
    return age(seconds);
}

/** How long ago something was, in whole units. */
export function age(seconds) {
    if (seconds < 60) return `${Math.max(0, Math.floor(seconds))} s`;
    if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
    if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ${Math.floor(seconds % 3600 / 60)} min`;
    return `${Math.floor(seconds / 86400)} d ${Math.floor(seconds % 86400 / 3600)} h`;
}

/** A rate, such as `12.5`. */
export function rate(number) {
    return number >= 100 ? count(Math.round(number)) : decimal.format(number);
}

/** A moment in this machine's time zone, such as `24 Nov, 09:15:02`. */
export function moment(text) {
    if (!text) return "–";
    return new Date(text).toLocaleString("en-GB",
        { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", second: "2-digit" });
}

/** A writer in one line: what it is, whose, and which process. */
export function writerText(writer) {
    if (!writer) return "unknown";
    const name = writer.unit ?? writer.program ?? "a process";
    return `${name} (${writer.userName ?? writer.uid}, ${writer.pid})`;
}

const clocks = new Set();

/** An element that shows for how long something has been so, and goes on by itself while it is on the page. */
export function ageElement(element, since, render = (seconds) => age(seconds)) {
    const clock = { element: new WeakRef(element), since: new Date(since).getTime(), render };
    element.dateTime = since;
    element.title = moment(since);
    tick(clock);
    clocks.add(clock);
    return element;
}

function tick(clock) {
    const element = clock.element.deref();
    if (!element) {
        clocks.delete(clock);
        return;
    }
    const text = clock.render(Math.max(0, (Date.now() - clock.since) / 1000));
    if (element.textContent !== text) element.textContent = text;
}

setInterval(() => {
    if (!document.hidden) clocks.forEach(tick);
}, 1000);
