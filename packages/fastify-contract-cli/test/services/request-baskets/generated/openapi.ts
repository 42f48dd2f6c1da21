// Generated from request-baskets.json by fastify-contract. Do not edit.

export interface paths {
    "/api/baskets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get baskets
         * @description Fetches a list of basket names managed by service. Require master token.
         */
        get: operations["GET /api/baskets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/baskets/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get basket settings
         * @description Retrieves configuration settings of this basket.
         */
        get: operations["GET /api/baskets/{name}"];
        /**
         * Update basket settings
         * @description Updates configuration settings of this basket.
         *
         *     Special configuration parameters for request forwarding:
         *       * `insecure_tls` controls certificate verification when forwarding requests. Setting this parameter to `true`
         *       allows to forward collected HTTP requests via HTTPS protocol even if the forward end-point is configured with
         *       self-signed TLS/SSL certificate. **Warning:** enabling this feature has known security implications.
         *       * `expand_path` changes the logic of constructing taget URL when forwarding requests. If this parameter is
         *       set to `true` the forward URL path will be expanded when original HTTP request contains compound path. For
         *       example, a basket with name **server1** is configured to forward all requests to `http://server1.intranet:8001/myservice`
         *       and it has received an HTTP request like `GET http://baskets.example.com/server1/component/123/events?status=OK`
         *       then depending on `expand_path` settings the request will be forwarded to:
         *         * `true` => `GET http://server1.intranet:8001/myservice/component/123/events?status=OK`
         *         * `false` => `GET http://server1.intranet:8001/myservice?status=OK`
         */
        put: operations["PUT /api/baskets/{name}"];
        /**
         * Create new basket
         * @description Creates a new basket with this name.
         */
        post: operations["POST /api/baskets/{name}"];
        /**
         * Delete basket
         * @description Permanently deletes this basket and all collected requests.
         */
        delete: operations["DELETE /api/baskets/{name}"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/baskets/{name}/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get collected requests
         * @description Fetches collection of requests collected by this basket.
         */
        get: operations["GET /api/baskets/{name}/requests"];
        put?: never;
        post?: never;
        /**
         * Delete all requests
         * @description Deletes all requests collected by this basket.
         */
        delete: operations["DELETE /api/baskets/{name}/requests"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/baskets/{name}/responses/{method}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get response settings
         * @description Retrieves information about configured response of the basket. Service will reply with this response to any
         *     HTTP request sent to the basket with appropriate HTTP method.
         *
         *     If nothing is configured, the default response is HTTP 200 - OK with empty content.
         */
        get: operations["GET /api/baskets/{name}/responses/{method}"];
        /**
         * Update response settings
         * @description Allows to configure HTTP response of this basket. The service will reply with configured response to any HTTP
         *     request sent to the basket with appropriate HTTP method.
         *
         *     If nothing is configured, the default response is HTTP 200 - OK with empty content.
         */
        put: operations["PUT /api/baskets/{name}/responses/{method}"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get baskets statistics
         * @description Get service statistics about baskets and collected HTTP requests. Require master token.
         */
        get: operations["GET /api/stats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/version": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get service version
         * @description Get service version.
         */
        get: operations["GET /api/version"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/baskets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get baskets
         * @deprecated
         * @description Fetches a list of basket names managed by service. Require master token.
         */
        get: operations["GET /baskets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/baskets/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get basket settings
         * @deprecated
         * @description Retrieves configuration settings of this basket.
         */
        get: operations["GET /baskets/{name}"];
        /**
         * Update basket settings
         * @deprecated
         * @description Updates configuration settings of this basket.
         *
         *     Special configuration parameters for request forwarding:
         *       * `insecure_tls` controls certificate verification when forwarding requests. Setting this parameter to `true`
         *       allows to forward collected HTTP requests via HTTPS protocol even if the forward end-point is configured with
         *       self-signed TLS/SSL certificate. **Warning:** enabling this feature has known security implications.
         *       * `expand_path` changes the logic of constructing taget URL when forwarding requests. If this parameter is
         *       set to `true` the forward URL path will be expanded when original HTTP request contains compound path. For
         *       example, a basket with name **server1** is configured to forward all requests to `http://server1.intranet:8001/myservice`
         *       and it has received an HTTP request like `GET http://baskets.example.com/server1/component/123/events?status=OK`
         *       then depending on `expand_path` settings the request will be forwarded to:
         *         * `true` => `GET http://server1.intranet:8001/myservice/component/123/events?status=OK`
         *         * `false` => `GET http://server1.intranet:8001/myservice?status=OK`
         */
        put: operations["PUT /baskets/{name}"];
        /**
         * Create new basket
         * @deprecated
         * @description Creates a new basket with this name.
         */
        post: operations["POST /baskets/{name}"];
        /**
         * Delete basket
         * @deprecated
         * @description Permanently deletes this basket and all collected requests.
         */
        delete: operations["DELETE /baskets/{name}"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/baskets/{name}/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get collected requests
         * @deprecated
         * @description Fetches collection of requests collected by this basket.
         */
        get: operations["GET /baskets/{name}/requests"];
        put?: never;
        post?: never;
        /**
         * Delete all requests
         * @deprecated
         * @description Deletes all requests collected by this basket.
         */
        delete: operations["DELETE /baskets/{name}/requests"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/baskets/{name}/responses/{method}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get response settings
         * @deprecated
         * @description Retrieves information about configured response of the basket. Service will reply with this response to any
         *     HTTP request sent to the basket with appropriate HTTP method.
         *
         *     If nothing is configured, the default response is HTTP 200 - OK with empty content.
         */
        get: operations["GET /baskets/{name}/responses/{method}"];
        /**
         * Update response settings
         * @deprecated
         * @description Allows to configure HTTP response of this basket. The service will reply with configured response to any HTTP
         *     request sent to the basket with appropriate HTTP method.
         *
         *     If nothing is configured, the default response is HTTP 200 - OK with empty content.
         */
        put: operations["PUT /baskets/{name}/responses/{method}"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        BasketInfo: {
            /**
             * Format: int64
             * @description Date and time of last request processed through this basket in Unix time ms.
             *     format (number of milliseconds elapsed since January 1, 1970 UTC).
             *
             *     If no requests were collected by this basket `0` is returned.
             * @example 1550106301288
             */
            last_request_date?: bigint;
            /**
             * @description Basket name
             * @example basket22
             */
            name?: string;
            /**
             * @description Current number of collected HTTP requests held by basket
             * @example 62
             */
            requests_count?: number;
            /**
             * @description Total number of all HTTP requests passed through this basket
             * @example 315
             */
            requests_total_count?: number;
        };
        Baskets: {
            /**
             * @description Total number of baskets in the system; not present if query is applied
             * @example 118
             */
            count?: number;
            /**
             * @description Indicates if there are more baskets to fetch
             * @example true
             */
            has_more: boolean;
            /**
             * @description Collection of basket names
             * @example [
             *       "basket22",
             *       "mybasket",
             *       "test123"
             *     ]
             */
            names: string[];
        };
        Config: {
            /**
             * @description Baskets capacity, defines maximum number of requests to store
             * @example 250
             */
            capacity?: number;
            /**
             * @description If set to `true` the forward URL path will be expanded when original HTTP request contains compound path.
             * @example true
             */
            expand_path?: boolean;
            /**
             * @description URL to forward all incoming requests of the basket, `empty` value disables forwarding
             * @example https://myservice.example.com/events-collector
             */
            forward_url?: string;
            /**
             * @description If set to `true` the certificate verification will be disabled if forward URL indicates HTTPS scheme.
             *     **Warning:** enabling this feature has known security implications.
             * @example false
             */
            insecure_tls?: boolean;
            /**
             * @description If set to `true` this basket behaves as a full proxy: responses from underlying service configured in `forward_url`
             *     are passed back to clients of original requests. The configuration of basket responses is ignored in this case.
             * @example false
             */
            proxy_response?: boolean;
        };
        /**
         * @description Map of HTTP headers, key represents name, value is array of values
         * @example {
         *       "Accept": [
         *         "application/json",
         *         "application/xml"
         *       ],
         *       "Connection": [
         *         "close"
         *       ],
         *       "Content-Type": [
         *         "application/json"
         *       ]
         *     }
         */
        Headers: {
            [key: string]: string[];
        };
        Request: {
            /**
             * @description Content of request body
             * @example user=abc_test&status=200
             */
            body?: string;
            /**
             * @description Content length of request
             * @example 24
             */
            content_length?: number;
            /**
             * Format: int64
             * @description Date and time of request in Unix time ms. format (number of milliseconds elapsed since January 1, 1970 UTC)
             * @example 1550300604712
             */
            date?: bigint;
            headers?: components["schemas"]["Headers"];
            /**
             * @description HTTP method of request
             * @example POST
             */
            method?: string;
            /**
             * @description URL path of request
             * @example /basket1/data
             */
            path?: string;
            /**
             * @description Query parameters of request
             * @example name=basket1&version=12
             */
            query?: string;
        };
        Requests: {
            /**
             * @description Current number of collected requests hold by basket; not present if query is applied
             * @example 200
             */
            count?: number;
            /**
             * @description Indicates if there are more requests collected by basket to fetch
             * @example true
             */
            has_more: boolean;
            /** @description Collection of collected requests */
            requests: components["schemas"]["Request"][];
            /**
             * @description Total number of all requests passed through this basket; not present if query is applied
             * @example 3023
             */
            total_count?: number;
        };
        Response: {
            /**
             * @description Content of response body
             * @example Success
             */
            body?: string;
            headers?: components["schemas"]["Headers"];
            /**
             * @description If set to `true` the body is treated as [HTML template](https://golang.org/pkg/html/template) that accepts
             *     input from request parameters.
             * @example false
             */
            is_template?: boolean;
            /**
             * @description The HTTP status code to reply with
             * @example 200
             */
            status?: number;
        };
        ServiceStats: {
            /**
             * @description Average size of a basket in the system, empty baskets are not taken into account
             * @example 217
             */
            avg_basket_size?: number;
            /**
             * @description Total number of baskets managed by service
             * @example 28
             */
            baskets_count?: number;
            /**
             * @description Number of empty baskets
             * @example 12
             */
            empty_baskets_count?: number;
            /**
             * @description Size of the biggest basket that processed the top most number of HTTP requests
             * @example 1027
             */
            max_basket_size?: number;
            /**
             * @description Number of HTTP requests currently stored by service
             * @example 5120
             */
            requests_count?: number;
            /**
             * @description Total number of HTTP requests processed by service
             * @example 21847
             */
            requests_total_count?: number;
            /** @description Collection of top baskets recently active */
            top_baskets_recent?: components["schemas"]["BasketInfo"][];
            /** @description Collection of top basket by size */
            top_baskets_size?: components["schemas"]["BasketInfo"][];
        };
        Token: {
            /**
             * @description Secure token to manage the basket, generated by system
             * @example MJeIzgE1D6aze...
             */
            token: string;
        };
        Version: {
            /**
             * @description Git commit this service is build from
             * @example 4cc08434223ff04fbe2e45f2f6eeb9b0a39a279e
             */
            commit?: string;
            /**
             * @description Short form of git commit this service is build from
             * @example 4cc0843
             */
            commit_short?: string;
            /**
             * @description Service name
             * @example request-baskets
             */
            name?: string;
            /**
             * @description URL of the source code repository
             * @example https://github.com/darklynx/request-baskets
             */
            source_code?: string;
            /**
             * @description Service version
             * @example v1.0.0
             */
            version?: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: {
        /** @description New configuration to apply */
        Config: {
            content: {
                "application/json": components["schemas"]["Config"];
            };
        };
        /** @description Basket configuration */
        Config2: {
            content: {
                "application/json": components["schemas"]["Config"];
            };
        };
        /** @description HTTP response configuration */
        Response: {
            content: {
                "application/json": components["schemas"]["Response"];
            };
        };
    };
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "GET /api/baskets": {
        parameters: {
            query?: {
                /** @description Maximum number of basket names to return; default 20 */
                max?: number;
                /** @description Query string to filter result, only those basket names that match the query will be included in response */
                q?: string;
                /** @description Number of basket names to skip; default 0 */
                skip?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. Returns list of available baskets. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Baskets"];
                };
            };
            /** @description No Content. No baskets available for specified limits */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized. Invalid or missing master token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "GET /api/baskets/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The basket name */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. Returns basket configuration */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Config"];
                };
            };
            /** @description Unauthorized. Invalid or missing basket token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not Found. No basket with such name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "PUT /api/baskets/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The basket name */
                name: string;
            };
            cookie?: never;
        };
        requestBody: components["requestBodies"]["Config"];
        responses: {
            /** @description No Content. Basket configuration is updated */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request. Failed to parse JSON into basket configuration object. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized. Invalid or missing basket token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not Found. No basket with such name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unprocessable Entity. Basket configuration is not valid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "POST /api/baskets/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of new basket */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["Config2"];
        responses: {
            /** @description Created. Indicates that basket is successfully created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
            /** @description Bad Request. Failed to parse JSON into basket configuration object. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Forbidden. Indicates that basket name conflicts with reserved paths; e.g. `baskets`, `web`, etc. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Conflict. Indicates that basket with such name already exists */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unprocessable Entity. Basket configuration is not valid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "DELETE /api/baskets/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The basket name */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content. Basket is deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized. Invalid or missing basket token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not Found. No basket with such name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "GET /api/baskets/{name}/requests": {
        parameters: {
            query?: {
                /**
                 * @description Defines what is taken into account when filtering is applied: `body` - search in content body of collected requests,
                 *     `query` - search among query parameters of collected requests, `headers` - search among request header values,
                 *     `any` - search anywhere; default `any`
                 */
                in?: "any" | "body" | "query" | "headers";
                /** @description Maximum number of requests to return; default 20 */
                max?: number;
                /** @description Query string to filter result, only requests that match the query will be included in response */
                q?: string;
                /** @description Number of requests to skip; default 0 */
                skip?: number;
            };
            header?: never;
            path: {
                /** @description The basket name */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. Returns list of basket requests. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Requests"];
                };
            };
            /** @description No Content. No requests found for specified limits */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized. Invalid or missing basket token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not Found. No basket with such name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "DELETE /api/baskets/{name}/requests": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The basket name */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content. Basket requests are cleared */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized. Invalid or missing basket token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not Found. No basket with such name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "GET /api/baskets/{name}/responses/{method}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The HTTP method this response is configured for */
                method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "CONNECT" | "OPTIONS" | "TRACE";
                /** @description The basket name */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. Returns configured response information */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Response"];
                };
            };
            /** @description Unauthorized. Invalid or missing basket token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not Found. No basket with such name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "PUT /api/baskets/{name}/responses/{method}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The HTTP method this response is configured for */
                method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "CONNECT" | "OPTIONS" | "TRACE";
                /** @description The basket name */
                name: string;
            };
            cookie?: never;
        };
        requestBody: components["requestBodies"]["Response"];
        responses: {
            /** @description No Content. Response configuration is updated */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request. Failed to parse JSON into response configuration object. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized. Invalid or missing basket token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not Found. No basket with such name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unprocessable Entity. Response configuration is not valid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "GET /api/stats": {
        parameters: {
            query?: {
                /** @description Maximum number of basket names to return; default 5 */
                max?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. Returns service statistics. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceStats"];
                };
            };
            /** @description Unauthorized. Invalid or missing master token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "GET /api/version": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. Returns service version. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Version"];
                };
            };
        };
    };
    "GET /baskets": {
        parameters: {
            query?: {
                /** @description Maximum number of basket names to return; default 20 */
                max?: number;
                /** @description Query string to filter result, only those basket names that match the query will be included in response */
                q?: string;
                /** @description Number of basket names to skip; default 0 */
                skip?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. Returns list of available baskets. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Baskets"];
                };
            };
            /** @description No Content. No baskets available for specified limits */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized. Invalid or missing master token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "GET /baskets/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The basket name */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. Returns basket configuration */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Config"];
                };
            };
            /** @description Unauthorized. Invalid or missing basket token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not Found. No basket with such name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "PUT /baskets/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The basket name */
                name: string;
            };
            cookie?: never;
        };
        requestBody: components["requestBodies"]["Config"];
        responses: {
            /** @description No Content. Basket configuration is updated */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request. Failed to parse JSON into basket configuration object. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized. Invalid or missing basket token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not Found. No basket with such name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unprocessable Entity. Basket configuration is not valid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "POST /baskets/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of new basket */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["Config2"];
        responses: {
            /** @description Created. Indicates that basket is successfully created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
            /** @description Bad Request. Failed to parse JSON into basket configuration object. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Forbidden. Indicates that basket name conflicts with reserved paths; e.g. `baskets`, `web`, etc. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Conflict. Indicates that basket with such name already exists */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unprocessable Entity. Basket configuration is not valid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "DELETE /baskets/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The basket name */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content. Basket is deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized. Invalid or missing basket token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not Found. No basket with such name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "GET /baskets/{name}/requests": {
        parameters: {
            query?: {
                /**
                 * @description Defines what is taken into account when filtering is applied: `body` - search in content body of collected requests,
                 *     `query` - search among query parameters of collected requests, `headers` - search among request header values,
                 *     `any` - search anywhere; default `any`
                 */
                in?: "any" | "body" | "query" | "headers";
                /** @description Maximum number of requests to return; default 20 */
                max?: number;
                /** @description Query string to filter result, only requests that match the query will be included in response */
                q?: string;
                /** @description Number of requests to skip; default 0 */
                skip?: number;
            };
            header?: never;
            path: {
                /** @description The basket name */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. Returns list of basket requests. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Requests"];
                };
            };
            /** @description No Content. No requests found for specified limits */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized. Invalid or missing basket token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not Found. No basket with such name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "DELETE /baskets/{name}/requests": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The basket name */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content. Basket requests are cleared */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized. Invalid or missing basket token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not Found. No basket with such name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "GET /baskets/{name}/responses/{method}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The HTTP method this response is configured for */
                method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "CONNECT" | "OPTIONS" | "TRACE";
                /** @description The basket name */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. Returns configured response information */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Response"];
                };
            };
            /** @description Unauthorized. Invalid or missing basket token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not Found. No basket with such name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "PUT /baskets/{name}/responses/{method}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The HTTP method this response is configured for */
                method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "CONNECT" | "OPTIONS" | "TRACE";
                /** @description The basket name */
                name: string;
            };
            cookie?: never;
        };
        requestBody: components["requestBodies"]["Response"];
        responses: {
            /** @description No Content. Response configuration is updated */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request. Failed to parse JSON into response configuration object. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized. Invalid or missing basket token */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not Found. No basket with such name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unprocessable Entity. Response configuration is not valid. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
/** The credentials of each security scheme, and whether an operation asks for scopes. */
export interface schemes {
    "basket_token": { credentials: string; scopes: false };
    "service_token": { credentials: string; scopes: false };
}
/** The alternatives of the security of each operation. */
export interface security {
    "DELETE /api/baskets/{name}": ["basket_token"];
    "DELETE /api/baskets/{name}/requests": ["basket_token"];
    "DELETE /baskets/{name}": ["basket_token"];
    "DELETE /baskets/{name}/requests": ["basket_token"];
    "GET /api/baskets": ["service_token"];
    "GET /api/baskets/{name}": ["basket_token"];
    "GET /api/baskets/{name}/requests": ["basket_token"];
    "GET /api/baskets/{name}/responses/{method}": ["basket_token"];
    "GET /api/stats": ["service_token"];
    "GET /api/version": [];
    "GET /baskets": ["service_token"];
    "GET /baskets/{name}": ["basket_token"];
    "GET /baskets/{name}/requests": ["basket_token"];
    "GET /baskets/{name}/responses/{method}": ["basket_token"];
    "POST /api/baskets/{name}": [];
    "POST /baskets/{name}": [];
    "PUT /api/baskets/{name}": ["basket_token"];
    "PUT /api/baskets/{name}/responses/{method}": ["basket_token"];
    "PUT /baskets/{name}": ["basket_token"];
    "PUT /baskets/{name}/responses/{method}": ["basket_token"];
}
