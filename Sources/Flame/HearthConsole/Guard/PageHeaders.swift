package import NIOHTTP1

/// The headers that every answer of a console has.
package enum PageHeaders {
    /// What the browser lets the page load, and who may frame or refer to the page: nobody.
    static let contentSecurityPolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        + "img-src 'self' data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

    /// The headers.
    package static let all: HTTPHeaders = [
        "content-security-policy": contentSecurityPolicy,
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
        "cross-origin-resource-policy": "same-origin",
        "cross-origin-opener-policy": "same-origin",
    ]
}
