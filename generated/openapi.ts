// Generated from openapi.yaml by fastify-contract. Do not edit.

export interface paths {
    "/plants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the caller's plants
         * @description Returns the caller's plants in ascending order of `id`, over the whole signed 64-bit range. The plants in
         *     the list do not contain their `id`.
         *
         *     An unknown query parameter is rejected, so that a mistyped `limt` does not silently return every plant. `HEAD`
         *     returns what `GET` returns, without the body.
         */
        get: operations["listPlants"];
        put?: never;
        /**
         * Create a plant
         * @description Stores a new plant under the `id` that the client supplies. When the response is 200, the plant is on disk.
         *
         *     If the caller already has a plant with this `id`, the request fails with 40900 and nothing changes. A request
         *     whose response was lost can therefore be repeated: 40900 then means that a plant with this `id` is stored.
         */
        post: operations["createPlant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/plants/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a plant
         * @description Deletes the caller's plant with this `id`. When the response is 204, the deletion is on disk. A body sent with
         *     the request is ignored.
         */
        delete: operations["deletePlant"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @description The body of every failure: the number `error` is for programs, the text `message` for people.
         *
         *     A request is checked in this order: path and method, credentials, rate limit, media type and size of the body,
         *     JSON, the rules of this contract, the state of the store.
         */
        Error: {
            /**
             * Format: int32
             * @description The kind of failure, as a number that never changes its meaning. Its first three digits are the HTTP
             *     status.
             *
             *     Clients must expect further numbers. They treat one that they do not know by its first three digits, and a
             *     status that they do not know as the x00 of its class, such as 400 (RFC 9110, section 15).
             * @enum {integer}
             */
            error: 40000 | 40001 | 40002 | 40100 | 40101 | 40400 | 40401 | 40500 | 40800 | 40900 | 41300 | 41500 | 42900 | 43100 | 50000 | 50300;
            /** @description A description of the failure for people. Texts may change; `error` does not. */
            message: string;
        };
        /** @description A plant to create, which is a `Plant` with an `id`. */
        NewPlant: components["schemas"]["Plant"] & {
            /**
             * Format: int64
             * @description The identification number of the plant, chosen by the client: a signed 64-bit integer from
             *     -9223372036854775808 to 9223372036854775807, unique among the caller's plants.
             *
             *     It is never rounded: 9007199254740992, 9007199254740993 and 9007199254740994 are three plants. An
             *     integer-valued number such as `54.0` is the integer 54. These are rejected: fractions, strings, values
             *     outside the range, and forms with a point or an exponent beyond 2^53.
             * @example 54
             * @example 9007199254740993
             */
            id: bigint;
        };
        /** @description A plant as the service returns it. */
        Plant: {
            /**
             * @description The name of the plant: 1 to 255 Unicode code points, any text except U+0000 and lone surrogates.
             *     Returned exactly as sent.
             * @example Monstera deliciosa
             */
            name: string;
            /**
             * @description The type of the plant, under the same rules as `name`. If omitted, it is absent from responses too;
             *     `null` is rejected.
             * @example indoor
             */
            tag?: string;
        };
    };
    responses: {
        /** @description The request is invalid. */
        BadRequest: {
            headers: {
                RateLimit?: string;
                "RateLimit-Policy"?: string;
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The caller already has a plant with this `id`. */
        Conflict: {
            headers: {
                RateLimit?: string;
                "RateLimit-Policy"?: string;
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": 40900,
                 *       "message": "you already have a plant with id 54"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body exceeds the server's limit. */
        ContentTooLarge: {
            headers: {
                RateLimit?: string;
                "RateLimit-Policy"?: string;
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": 41300,
                 *       "message": "the body is larger than 65536 bytes"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The service failed. */
        InternalServerError: {
            headers: {
                RateLimit?: string;
                "RateLimit-Policy"?: string;
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": 50000,
                 *       "message": "the service failed; quote the X-Request-Id of this response when reporting it"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The caller has no plant with this `id`. */
        NotFound: {
            headers: {
                RateLimit?: string;
                "RateLimit-Policy"?: string;
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": 40401,
                 *       "message": "you have no plant with id 54"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request line and headers exceed the server's limit. */
        RequestHeaderFieldsTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": 43100,
                 *       "message": "the request line and headers are larger than 16384 bytes"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request did not arrive in time. */
        RequestTimeout: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": 40800,
                 *       "message": "the request did not arrive in time"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description The store is not available, or the server is overloaded or stopping. Nothing has changed, unless a fault of the
         *     disk, the database file or the connection to a database server interrupted a write. Such a write may have been
         *     done, or may appear when the server starts again. To find out, repeat it until the status is another one: 40900
         *     then means that a plant with this `id` is stored, and 40401 that none is.
         */
        ServiceUnavailable: {
            headers: {
                RateLimit?: string;
                "RateLimit-Policy"?: string;
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": 50300,
                 *       "message": "the store is not available now; try again in a second"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description Too many requests by the caller, or too many rejected tokens from the client's address. The operator may limit
         *     the requests per minute; without a limit, the headers `RateLimit-Policy` and `RateLimit` are absent.
         *
         *     - **Per caller:** the headers report the limit, the requests left and the seconds until it resets. Requests
         *       beyond the limit are rejected.
         *     - **Per address:** after the same number of rejected tokens in a minute, every request from that address is
         *       rejected until the minute is over, whatever its credentials.
         */
        TooManyRequests: {
            headers: {
                RateLimit?: string;
                "RateLimit-Policy"?: string;
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": 42900,
                 *       "message": "more than 600 requests a minute; try again in 12 s"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The credentials are missing or invalid. */
        Unauthorized: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description The body is not `application/json` in UTF-8, or has a content coding. For a coding, the response has
         *     `Accept-Encoding: identity` (RFC 9110, section 12.5.3).
         */
        UnsupportedMediaType: {
            headers: {
                RateLimit?: string;
                "RateLimit-Policy"?: string;
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": 41500,
                 *       "message": "Content-Type must be application/json, in UTF-8"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /**
         * @description The number of requests that the caller has left (`r`), and the seconds until it resets (`t`). Present if the
         *     request counts towards a limit (draft-ietf-httpapi-ratelimit-headers-11).
         * @example "caller";r=599;t=60
         */
        RateLimit: string;
        /**
         * @description The number of requests (`q`) that a caller may send in a window of `w` seconds. Present if the request counts towards a
         *     limit (draft-ietf-httpapi-ratelimit-headers-11).
         * @example "caller";q=600;w=60
         */
        "RateLimit-Policy": string;
        /**
         * @description The number of seconds to wait before the next attempt.
         * @example 1
         */
        "Retry-After": number;
        /**
         * @description The challenge of RFC 6750, section 3. A rejected token adds `error="invalid_token"`.
         * @example Bearer realm="plant-store", error="invalid_token", error_description="The token is unknown, malformed, expired or revoked"
         */
        "WWW-Authenticate": string;
        /**
         * @description The id of this request in the server's log: the client's own `X-Request-Id` if it has 1 to 128 letters,
         *     digits, `-`, `_` and `.`, otherwise a random one.
         * @example 8f14e45f-ceea-467f-a9c1-6b1f0a6b3f0e
         */
        "X-Request-Id": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listPlants: {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of plants to return. `0` returns an empty list; without `limit`, all plants of the
                 *     caller are returned. Must not be repeated.
                 *
                 *     After percent-decoding it is `0`, or digits without a leading zero. These are rejected: `007`, `+1`, `-0`,
                 *     `1.0`, `1e3`, `0x1`, and `1` after a space.
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The caller's plants, in ascending order of `id`. */
            200: {
                headers: {
                    RateLimit?: string;
                    "RateLimit-Policy"?: string;
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plant"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createPlant: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * @description The plant to create.
         *
         *     - Unknown properties are ignored: neither stored nor returned.
         *     - A byte order mark before the JSON text is ignored.
         *     - A lone surrogate anywhere in the body is rejected with 40001. JSON can write one as an escape, but UTF-8
         *       cannot encode it.
         *     - Objects and arrays nested more than 100 levels deep are rejected with 40001.
         */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPlant"];
            };
        };
        responses: {
            /** @description The stored plant, without its `id`. */
            200: {
                headers: {
                    RateLimit?: string;
                    "RateLimit-Policy"?: string;
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plant"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deletePlant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the plant to delete, a signed 64-bit integer: -9223372036854775808 to 9223372036854775807.
                 *
                 *     After percent-decoding it is `0`, or an optional `-` and digits without a leading zero. These are rejected:
                 *     `007`, `+1`, `-0`, `1.0`, `1e3`, `0x1`, and `1` after a space.
                 */
                id: bigint;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plant is deleted. */
            204: {
                headers: {
                    RateLimit?: string;
                    "RateLimit-Policy"?: string;
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
}
/** The credentials of each security scheme, and whether an operation asks for scopes. */
export interface schemes {
    "bearer": { credentials: string; scopes: false };
}
/** The alternatives of the security of each operation. */
export interface security {
    "createPlant": ["bearer"];
    "deletePlant": ["bearer"];
    "listPlants": ["bearer"];
}
