// Generated from galaxy.yaml by fastify-contract. Do not edit.

export type $Default<T> = { readonly $default: T };
export type $Read<T> = { readonly $read: T };
export type $Write<T> = { readonly $write: T };
export type $Binary<T> = { readonly $binary: T };
export interface paths {
    "/auth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a token
         * @description Yeah, this is the boring security stuff. Just get your super secret token and move on.
         */
        post: operations["getToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get authenticated user
         * @description Find yourself they say. That’s what you can do here.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/planets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get all planets
         * @description It’s easy to say you know them all, but do you really? Retrieve all the planets and check whether you missed one.
         */
        get: operations["getAllData"];
        put?: never;
        /**
         * Create a planet
         * @description Time to play god and create a new planet. What do you think? Ah, don’t think too much. What could go wrong anyway?
         */
        post: operations["createPlanet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/planets/{planetId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a planet
         * @description You’ll better learn a little bit more about the planets. It might come in handy once space travel is available for everyone.
         */
        get: operations["getPlanet"];
        /**
         * Update a planet
         * @description Sometimes you make mistakes, that’s fine. No worries, you can update all planets.
         */
        put: operations["updatePlanet"];
        post?: never;
        /**
         * Delete a planet
         * @description This endpoint was used to delete planets. Unfortunately, that caused a lot of trouble for planets with life. So, this endpoint is now deprecated and should not be used anymore.
         */
        delete: operations["deletePlanet"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/planets/{planetId}/image": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload an image to a planet
         * @description Got a crazy good photo of a planet? Share it with the world!
         */
        post: operations["uploadImage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/signup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a user
         * @description Time to create a user account, eh?
         */
        post: operations["createUser"];
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
        /** @description RFC 7807 (https://datatracker.ietf.org/doc/html/rfc7807) */
        BadRequestError: {
            /** @example The request was invalid. */
            detail?: string;
            /**
             * Format: int64
             * @example 400
             */
            status?: bigint;
            /** @example Bad Request */
            title?: string;
            /** @example https://example.com/errors/bad-request */
            type?: string;
        };
        /** @description Credentials to authenticate a user */
        Credentials: {
            /**
             * Format: email
             * @example marc@scalar.com
             */
            email: string;
            password: $Write<string>;
        };
        /** @description RFC 7807 (https://datatracker.ietf.org/doc/html/rfc7807) */
        ForbiddenError: {
            /** @example You are not authorized to access this resource. */
            detail?: string;
            /**
             * Format: int64
             * @example 403
             */
            status?: bigint;
            /** @example Forbidden */
            title?: string;
            /** @example https://example.com/errors/forbidden */
            type?: string;
        };
        /** @description Message about an image upload */
        ImageUploadedMessage: {
            /**
             * @description Size of the uploaded image in bytes
             * @example 1048576
             */
            fileSize?: number;
            /**
             * @description The URL where the uploaded image can be accessed
             * @example https://cdn.scalar.com/images/8f47c132-9d1f-4f83-b5a4-91db5ee757ab.jpg
             */
            imageUrl?: string;
            /** @example Image uploaded successfully */
            message?: string;
            /**
             * @description The content type of the uploaded image
             * @example image/jpeg
             * @example image/png
             */
            mimeType?: string;
            /**
             * Format: date-time
             * @description Timestamp when the image was uploaded
             * @example 2024-01-15T14:30:00Z
             */
            uploadedAt?: string;
        };
        /** @description RFC 7807 (https://datatracker.ietf.org/doc/html/rfc7807) */
        NotFoundError: {
            /** @example The resource you are trying to access does not exist. */
            detail?: string;
            /**
             * Format: int64
             * @example 404
             */
            status?: bigint;
            /** @example Not Found */
            title?: string;
            /** @example https://example.com/errors/not-found */
            type?: string;
        };
        /** @description A paginated resource */
        PaginatedResource: {
            meta?: {
                /**
                 * Format: int64
                 * @example 10
                 */
                limit?: bigint;
                /** @example /planets?limit=10&offset=10 */
                next?: string | null;
                /**
                 * Format: int64
                 * @example 0
                 */
                offset?: bigint;
                /**
                 * Format: int64
                 * @example 100
                 */
                total?: bigint;
            };
        };
        /** @description A planet */
        Planet: {
            creator?: components["schemas"]["User"];
            /** @example The red planet */
            description?: string | null;
            id: $Read<bigint>;
            /** @example https://cdn.scalar.com/photos/mars.jpg */
            image?: string | null;
            /** @example Mars */
            name: string;
        };
        /** @description A token to authenticate a user */
        Token: {
            /** @example eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c */
            token?: string;
        };
        /** @description RFC 7807 (https://datatracker.ietf.org/doc/html/rfc7807) */
        UnauthorizedError: {
            /** @example You are not authorized to access this resource. */
            detail?: string;
            /**
             * Format: int64
             * @example 401
             */
            status?: bigint;
            /** @example Unauthorized */
            title?: string;
            /** @example https://example.com/errors/not-found */
            type?: string;
        };
        /** @description A user */
        User: {
            id?: $Read<bigint>;
            /** @example Marc */
            name?: string;
        } & components["schemas"]["Credentials"];
    };
    responses: {
        /** @description Bad Request */
        BadRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["BadRequestError"];
                "application/xml": components["schemas"]["BadRequestError"];
            };
        };
        /** @description Forbidden */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ForbiddenError"];
                "application/xml": components["schemas"]["ForbiddenError"];
            };
        };
        /** @description Image uploaded */
        ImageUploaded: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ImageUploadedMessage"];
                "application/xml": components["schemas"]["ImageUploadedMessage"];
            };
        };
        /** @description NotFound */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NotFoundError"];
                "application/xml": components["schemas"]["NotFoundError"];
            };
        };
        /** @description Unauthorized */
        Unauthorized: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnauthorizedError"];
                "application/xml": components["schemas"]["UnauthorizedError"];
            };
        };
    };
    parameters: {
        /** @description The number of items to return */
        limit: $Default<bigint>;
        /** @description The number of items to skip before starting to collect the result set */
        offset: $Default<bigint>;
        /** @description The ID of the planet to get */
        planetId: bigint;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Credentials to authenticate a user */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Credentials"];
                "application/xml": components["schemas"]["Credentials"];
            };
        };
        responses: {
            /** @description Token Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                    "application/xml": components["schemas"]["Token"];
                };
            };
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                    "application/xml": components["schemas"]["User"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
        };
    };
    getAllData: {
        parameters: {
            query?: {
                /** @description The number of items to return */
                limit?: components["parameters"]["limit"];
                /** @description The number of items to skip before starting to collect the result set */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data?: components["schemas"]["Planet"][];
                    } & components["schemas"]["PaginatedResource"];
                    "application/xml": {
                        data?: components["schemas"]["Planet"][];
                    } & components["schemas"]["PaginatedResource"];
                };
            };
        };
    };
    createPlanet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Planet */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Planet"];
                "application/xml": components["schemas"]["Planet"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Planet"];
                    "application/xml": components["schemas"]["Planet"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
        };
    };
    getPlanet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of the planet to get */
                planetId: components["parameters"]["planetId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Planet Found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Planet"];
                    "application/xml": components["schemas"]["Planet"];
                };
            };
            404: components["responses"]["NotFound"];
        };
    };
    updatePlanet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of the planet to get */
                planetId: components["parameters"]["planetId"];
            };
            cookie?: never;
        };
        /** @description New information about the planet */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Planet"];
                "application/xml": components["schemas"]["Planet"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Planet"];
                    "application/xml": components["schemas"]["Planet"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
        };
    };
    deletePlanet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of the planet to get */
                planetId: components["parameters"]["planetId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    uploadImage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of the planet to get */
                planetId: components["parameters"]["planetId"];
            };
            cookie?: never;
        };
        /** @description Image to upload */
        requestBody?: {
            content: {
                "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description The image file to upload
                     */
                    image?: $Binary<string>;
                };
            };
        };
        responses: {
            200: components["responses"]["ImageUploaded"];
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
        };
    };
    createUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description User to create */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["User"];
                "application/xml": components["schemas"]["User"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                    "application/xml": components["schemas"]["User"];
                };
            };
            400: components["responses"]["BadRequest"];
        };
    };
}
/** The credentials of each security scheme, and whether an operation asks for scopes. */
export interface schemes {
    "apiKeyCookie": { credentials: string; scopes: false };
    "apiKeyHeader": { credentials: string; scopes: false };
    "apiKeyQuery": { credentials: string; scopes: false };
    "basicAuth": { credentials: { user: string; password: string }; scopes: false };
    "bearerAuth": { credentials: string; scopes: false };
    "oAuth2": { credentials: string; scopes: true };
    "openIdConnect": { credentials: string; scopes: false };
}
/** The alternatives of the security of each operation. */
export interface security {
    "createPlanet": ["bearerAuth"] | ["basicAuth"] | ["apiKeyQuery"] | ["apiKeyHeader"] | ["apiKeyCookie"] | ["oAuth2"] | ["openIdConnect"];
    "createUser": [];
    "deletePlanet": ["bearerAuth"] | ["basicAuth"] | ["apiKeyQuery"] | ["apiKeyHeader"] | ["apiKeyCookie"] | ["oAuth2"] | ["openIdConnect"];
    "getAllData": [];
    "getMe": ["basicAuth"] | ["oAuth2"] | ["bearerAuth"] | ["apiKeyHeader"] | ["apiKeyQuery"];
    "getPlanet": [];
    "getToken": [];
    "updatePlanet": ["bearerAuth"] | ["basicAuth"] | ["apiKeyQuery"] | ["apiKeyHeader"] | ["apiKeyCookie"] | ["oAuth2"] | ["openIdConnect"];
    "uploadImage": ["bearerAuth"] | ["basicAuth"] | ["apiKeyQuery"] | ["apiKeyHeader"] | ["apiKeyCookie"] | ["oAuth2"] | ["openIdConnect"];
}
