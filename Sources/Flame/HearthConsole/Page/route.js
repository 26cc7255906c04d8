// Where in the console a person is: a section and its parameters, in the address behind the #.

/** The address of a section: `hrefTo("data", { db, path })`. */
export function hrefTo(section, parameters = {}) {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) {
        if (value !== undefined && value !== null && value !== "") query.set(name, value);
    }
    const text = query.toString();
    return `#/${section}${text && `?${text}`}`;
}

/** Where the page is now. */
export function route() {
    const [path, query = ""] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
    return { section: path, parameters: Object.fromEntries(new URLSearchParams(query)) };
}

/** Goes somewhere; `isReplaced` leaves no step back. */
export function go(section, parameters, isReplaced = false) {
    const href = hrefTo(section, parameters);
    if (isReplaced) {
        history.replaceState(null, "", href);
        window.dispatchEvent(new HashChangeEvent("hashchange"));
    } else {
        location.hash = href;
    }
}
