// Generated from openapi.yaml by fastify-contract. Do not edit.

export interface paths {
    "/greetings/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Greets somebody */
        get: operations["greet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export type components = Record<string, never>;
export type $defs = Record<string, never>;
export interface operations {
    greet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A greeting. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        text: string;
                    };
                };
            };
            /** @description A failure, as in RFC 9457. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        detail: string;
                        status: number;
                        title: string;
                    };
                };
            };
        };
    };
}
/** The credentials of each security scheme, and whether an operation asks for scopes. */
export interface schemes {
}
/** The alternatives of the security of each operation. */
export interface security {
    "greet": [];
}
